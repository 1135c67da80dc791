import type { Picture, PictureFlow, PictureJob, PictureNode } from "@/canvas/records";
import { partsOf } from "../shared/names";
import { type GraphNode, Lineage, type LineageGraph } from "./graph";
import { marksOfVersion, type Version, versionOf } from "./version";

/** More versions than these are not drawn. */
export const MOST_VERSIONS = 400;
/** Words of the panel, and times as the reader knows them. */
export type FactsOf = (version: Version) => readonly (readonly [string, string])[];

export interface Wanted {
  /** Id of the dataset in the middle. */
  start: string;
  steps: number;
  /** KEY:upstream or KEY:downstream, in the order in which they were asked for. */
  expand: readonly string[];
}

/** What of OpenLineage's graph is drawn: so many steps up and down from a version, and what was unfolded. Pure. */
export function pictureOfVersions(
  answers: readonly LineageGraph[],
  { start, steps, expand }: Wanted,
  factsOf: FactsOf,
): Picture {
  const lineage = new Lineage(answers);
  const shown = new Map<string, number>([[start, 0]]);
  let leftOut = 0;
  const show = (id: string, step: number) => {
    if (shown.has(id)) return false;
    if (shown.size >= MOST_VERSIONS) leftOut += 1;
    else shown.set(id, step);
    return shown.has(id);
  };
  for (const side of ["upstream", "downstream"] as const) {
    const way = side === "upstream" ? -1 : 1;
    let level = [start];
    for (let step = 1; step <= steps; step += 1)
      level = level.flatMap((id) => [...lineage.beside(id, side).keys()].filter((other) => show(other, way * step)));
  }
  for (const { id, side } of expand.flatMap((entry) => expansionOf(entry) ?? [])) {
    const step = shown.get(id);
    if (step === undefined) continue;
    for (const other of lineage.beside(id, side).keys()) show(other, side === "upstream" ? step - 1 : step + 1);
  }
  const flows: PictureFlow[] = [];
  const jobs = new Map<string, PictureJob>();
  const nodes = [...shown].map(([id, step]) => {
    const above = lineage.beside(id, "upstream");
    for (const [parent, via] of above) {
      if (!shown.has(parent)) continue;
      flows.push(flowOf(keyOf(parent), keyOf(id), via.map(keyOf)));
      for (const job of via) jobs.set(job, jobOf(job, lineage.nodes.get(job)));
    }
    const hidden = (side: "upstream" | "downstream") =>
      [...lineage.beside(id, side).keys()].filter((other) => !shown.has(other)).length;
    const more = { upstream: hidden("upstream"), downstream: hidden("downstream") };
    return nodeOf(id, step, more, versionIn(lineage, id), factsOf);
  });
  return {
    start: keyOf(start),
    granularity: "DATASET",
    direction: "both",
    steps,
    as_of: null,
    since: null,
    until: null,
    nodes,
    flows,
    jobs: [...jobs.values()],
    columns: [],
    left_out: { nodes: leftOut, flows: 0, columns: 0, hidden: 0, expansions: [] },
    truncated: leftOut > 0,
    freshness: null,
    compared_to: null,
  };
}

/** A name for a node in an address, where `:`, `#` and `>` stand for something else. */
export function keyOf(id: string): string {
  return encodeURIComponent(id);
}

/** What an entry of `expand` asks for, or null. Pure. */
export function expansionOf(entry: string): { id: string; side: "upstream" | "downstream" } | null {
  const cut = entry.lastIndexOf(":");
  const side = entry.slice(cut + 1);
  if (cut < 1 || (side !== "upstream" && side !== "downstream")) return null;
  try {
    return { id: decodeURIComponent(entry.slice(0, cut)), side };
  } catch {
    return null;
  }
}

/** A dataset with what the newest run of the job that wrote it says. */
function versionIn(lineage: Lineage, id: string): Version {
  const own = lineage.nodes.get(id)?.data;
  const run = lineage
    .writers(id)
    .map((job) => lineage.nodes.get(job)?.data.latestRun)
    .find((latest) => latest);
  return versionOf(
    { ...run?.facets, ...own?.facets },
    { isAborted: run?.state === "ABORTED", isRetracted: own?.lastLifecycleState === "RETRACTED" },
  );
}

function nodeOf(id: string, step: number, more: PictureNode["more"], version: Version, factsOf: FactsOf): PictureNode {
  const { title, rest, namespace, name } = partsOf(id);
  return {
    key: keyOf(id),
    id,
    kind: "dataset",
    title,
    rest,
    namespace: namespace ?? "",
    name,
    storage: null,
    step,
    columns_total: 0,
    columns: [],
    last_write: null,
    tags: [],
    owners: [],
    exists: null,
    reference_only: false,
    more,
    state: null,
    change: null,
    retracted_at: null,
    marks: marksOfVersion(version),
    facts: factsOf(version),
  };
}

const STATES: Record<string, "STARTED" | "SUCCEEDED" | "KILLED" | "FAILED"> = {
  RUNNING: "STARTED",
  COMPLETED: "SUCCEEDED",
  ABORTED: "KILLED",
  FAILED: "FAILED",
};

function jobOf(id: string, node: GraphNode | undefined): PictureJob {
  const { title, rest, namespace, name } = partsOf(id);
  const run = node?.data.latestRun;
  return {
    key: keyOf(id),
    id,
    title,
    rest,
    namespace: namespace ?? "",
    name,
    type: "BATCH",
    application: null,
    last_run: run
      ? { run: `run:${run.id ?? ""}`, status: STATES[run.state ?? ""] ?? "UNKNOWN", at: run.endedAt ?? null }
      : null,
  };
}

function flowOf(from: string, to: string, via: string[]): PictureFlow {
  return {
    from,
    to,
    via: via.slice(0, 50),
    via_total: via.length,
    kinds: ["UNKNOWN"],
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
