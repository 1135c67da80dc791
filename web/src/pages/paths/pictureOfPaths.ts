import type { ColumnEdge, Picture, PictureFlow, PictureNode } from "@/canvas/records";
import { datasetOf, partsOf } from "../shared/names";
import type { PathsAnswer } from "../shared/Way";

const NOTHING = { upstream: 0, downstream: 0 };

/** The ways between two things as a picture: each thing once, columns in their datasets. Pure. */
export function pictureOfPaths({ paths }: PathsAnswer): Picture {
  const nodes = new Map<string, PictureNode>();
  const flows = new Map<string, PictureFlow>();
  const columns = new Map<string, ColumnEdge>();
  for (const path of paths)
    path.nodes.forEach((id, at) => {
      const here = added(nodes, id, at);
      const before = path.nodes[at - 1];
      if (before === undefined) return;
      const from = added(nodes, before, at - 1);
      flows.set(`${from.key}>${here.key}`, flowOf(from.key, here.key));
      const edge = path.edges?.[at - 1];
      const [one, other] = [partsOf(before), partsOf(id)];
      for (const how of edge?.transformations ?? [])
        columns.set(`${before}>${id}>${how.subtype}`, {
          from: from.key,
          from_column: one.column ?? "",
          to: here.key,
          to_column: other.column ?? "",
          type: how.type === "INDIRECT" ? "INDIRECT" : "DIRECT",
          subtype: how.subtype,
          masked: edge?.masked ?? null,
          via: [],
          current: edge?.current !== false,
          change: null,
        });
    });
  const [first] = nodes.keys();
  return {
    start: first ?? "",
    granularity: "DATASET",
    direction: "both",
    steps: 0,
    as_of: null,
    since: null,
    until: null,
    nodes: [...nodes.values()],
    flows: [...flows.values()],
    jobs: [],
    columns: [...columns.values()],
    left_out: { nodes: 0, flows: 0, columns: 0, hidden: 0, expansions: [] },
    truncated: false,
    freshness: null,
    compared_to: null,
  };
}

function added(nodes: Map<string, PictureNode>, id: string, step: number): PictureNode {
  const parts = partsOf(id);
  const own = parts.column === null ? id : datasetOf(id);
  const whole = parts.column === null ? parts : partsOf(own);
  const known = nodes.get(own) ?? {
    key: own,
    id: own,
    kind: parts.kind === "job" ? ("job" as const) : ("dataset" as const),
    title: whole.title,
    rest: whole.rest,
    namespace: whole.namespace ?? "",
    name: whole.name,
    storage: null,
    step,
    columns_total: 0,
    columns: [],
    last_write: null,
    tags: [],
    owners: [],
    exists: null,
    reference_only: false,
    more: NOTHING,
    state: null,
    change: null,
    retracted_at: null,
  };
  if (parts.column && !known.columns.some(({ name }) => name === parts.column)) {
    known.columns.push({ name: parts.column, key: id, type: null, tags: [], lit: true, change: null });
    known.columns_total = known.columns.length;
  }
  nodes.set(own, known);
  return known;
}

function flowOf(from: string, to: string): PictureFlow {
  return {
    from,
    to,
    via: [],
    via_total: 0,
    kinds: ["DIRECT"],
    masked: null,
    current: true,
    first_seen: null,
    last_seen: null,
    columns_total: 0,
    origins: [],
    through: 0,
    change: null,
  };
}
