/** The picture API (GET /api/v2/picture) as the page uses it. */
export interface Picture {
  start: string; // key of the start node
  granularity: string;
  direction: string;
  steps: number;
  as_of: string | null;
  since: string | null;
  until: string | null;
  nodes: PictureNode[];
  flows: PictureFlow[];
  jobs: PictureJob[];
  columns: PictureColumnEdge[];
  left_out: { nodes: number; flows: number; columns: number; hidden: number }; // not drawn: limit, or hide
  truncated: boolean;
  freshness: object | null;
}
export interface PictureNode {
  key: string;
  id: string;
  kind: "dataset" | "job" | "run" | "operation" | "chart" | "dashboard";
  title: string; // last part of the name with as much as tells it apart from the others in this picture
  rest: string; // the rest of the name; shown muted
  namespace: string;
  name: string;
  storage: string | null; // postgres, s3, kafka, snowflake ... scheme of the location
  step: number; // -2, -1, 0, 1 ... datasets between it and the start, signed
  columns_total: number;
  columns: { name: string; key: string; type: string | null; tags: string[]; lit: boolean }[]; // columns=lit: those on the path; all: up to 200, columns_total says the rest
  last_write: { run: string; status: string; at: string | null; rows: number | null } | null;
  tags: string[];
  owners: string[];
  exists: boolean | null;
  reference_only: boolean;
  more: { upstream: number; downstream: number }; // neighbours that exist and are not in this picture
  state: string | null; // of a run/operation/job's newest run: STARTED SUCCEEDED FAILED KILLED UNKNOWN
}
export interface PictureFlow {
  // a pair of nodes; never two for one pair
  from: string;
  to: string; // keys
  via: string[]; // keys of jobs (see jobs)
  kinds: ("DIRECT" | "INDIRECT" | "UNKNOWN")[];
  masked: boolean | null;
  current: boolean;
  first_seen: string | null;
  last_seen: string | null;
  columns_total: number;
  origins: string[];
  through: number; // datasets folded away on it (ends, hide)
}
export interface PictureJob {
  key: string;
  id: string;
  title: string;
  rest: string;
  namespace: string;
  name: string;
  type: string;
  application: string | null /* key of parent job */;
  last_run: { run: string; status: string; at: string | null } | null;
}
export interface PictureColumnEdge {
  from: string;
  from_column: string;
  to: string;
  to_column: string;
  type: "DIRECT" | "INDIRECT";
  subtype: string;
  masked: boolean | null;
  via: string[];
  current: boolean;
}
