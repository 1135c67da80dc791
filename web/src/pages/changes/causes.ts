import type { components } from "@/api";

export type ChangeItem = components["schemas"]["ChangeItem"];

export interface Caused {
  id: string;
  at: string;
  run: string | null;
  job: string | null;
  actor: string | null;
  changes: ChangeItem[];
}

const TOGETHER = 60_000;

/** Changes by what caused them: one run, or one person within a minute; the newest first, as they come. Pure. */
export function byCause(changes: readonly ChangeItem[]): Caused[] {
  const found: Caused[] = [];
  const runs = new Map<string, Caused>();
  for (const change of changes) {
    const { run, job, actor } = change.cause;
    const last = found.at(-1);
    const isSameHand =
      last !== undefined &&
      run === null &&
      last.run === null &&
      last.actor === actor &&
      Math.abs(Date.parse(last.at) - Date.parse(change.at)) < TOGETHER;
    const known = run === null ? (isSameHand ? last : undefined) : runs.get(run);
    if (known) {
      known.changes.push(change);
      continue;
    }
    const cause: Caused = {
      id: `${run ?? actor ?? ""} ${change.at} ${found.length}`,
      at: change.at,
      run,
      job,
      actor,
      changes: [change],
    };
    found.push(cause);
    if (run !== null) runs.set(run, cause);
  }
  return found;
}

export const KINDS = ["schema", "lineage", "created", "dropped", "truncated", "renamed", "failed", "edit"] as const;

/** A second before and after all that one cause did: between these, the canvas shows what it changed. Pure. */
export function around({ changes }: Caused): { from: string; to: string } {
  const times = changes.map(({ at }) => Date.parse(at)).filter(Number.isFinite);
  const text = (at: number) => new Date(at).toISOString();
  return { from: text(Math.min(...times) - 1000), to: text(Math.max(...times) + 1000) };
}
