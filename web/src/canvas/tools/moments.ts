import type { components } from "@/api";

export type ChangeItem = components["schemas"]["ChangeItem"];

export interface Moment {
  at: number;
  /** What happened then, the most serious first. */
  changes: readonly ChangeItem[];
}

/** Changes of things in the picture by moment, the earliest first; what happens within `close` milliseconds is one moment. Pure. */
export function momentsOf(changes: readonly ChangeItem[], keys: ReadonlySet<string>, close: number): Moment[] {
  const found: { at: number; changes: ChangeItem[] }[] = [];
  const own = changes
    .filter((change) => keys.has(change.of.key))
    .map((change) => ({ at: Date.parse(change.at), change }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  for (const { at, change } of own) {
    const last = found.at(-1);
    if (last && at - last.at <= close) {
      last.changes.push(change);
      last.at = at;
    } else found.push({ at, changes: [change] });
  }
  return found;
}

/** The moment next to one, in either direction; null is now. */
export function momentBeside(moments: readonly Moment[], at: number | null, forward: boolean): number | null {
  if (forward) return at === null ? null : (moments.find((moment) => moment.at > at)?.at ?? null);
  return moments.findLast((moment) => at === null || moment.at < at)?.at ?? at;
}
