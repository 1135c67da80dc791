import type { Picture, PictureJob } from "../records";

export interface AboutNode {
  /** Jobs that flows into it lead through, the one that ran last first. */
  writers: readonly PictureJob[];
  writersTotal: number;
  /** Nodes of the picture that flow into it, and out of it. */
  sources: number;
  targets: number;
  since: string | null;
}

/** What a picture says of one of its nodes. Pure. */
export function aboutNode(picture: Pick<Picture, "flows" | "jobs">, key: string): AboutNode {
  const into = picture.flows.filter((flow) => flow.to === key && flow.from !== key);
  const out = picture.flows.filter((flow) => flow.from === key && flow.to !== key);
  const via = new Set(picture.flows.filter((flow) => flow.to === key).flatMap((flow) => flow.via));
  const writers = picture.jobs
    .filter((job) => via.has(job.key))
    .sort((a, b) => (b.last_run?.at ?? "").localeCompare(a.last_run?.at ?? ""));
  const seen = [...into, ...out].flatMap((flow) => flow.first_seen ?? []).sort();
  return {
    writers,
    writersTotal: via.size,
    sources: new Set(into.map((flow) => flow.from)).size,
    targets: new Set(out.map((flow) => flow.to)).size,
    since: seen[0] ?? null,
  };
}
