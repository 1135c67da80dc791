import type { RunItem } from "../shared/records";

export interface WaterfallRow {
  item: RunItem;
  /** Begin and length as shares of the whole; null where the times are not known. */
  left: number | null;
  width: number;
  /** Whether it has ended; of one that has not, the end of what is drawn is the end of the picture. */
  ended: boolean;
}

export interface Waterfall {
  rows: WaterfallRow[];
  begin: number;
  end: number;
}

const time = (text: string | null | undefined): number | null => {
  const at = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
};

/** Parts of a run along time, in the order in which they began; those without times come last. */
export function waterfallOf(run: RunItem, parts: readonly RunItem[], now: number): Waterfall | null {
  const started = parts.map((item) => ({
    item,
    from: time(item.started_at) ?? time(item.first_seen),
    to: time(item.ended_at),
  }));
  const known = started.flatMap(({ from, to }) => [from, to].filter((at) => at !== null));
  const own = [time(run.started_at) ?? time(run.first_seen), time(run.ended_at)].filter((at) => at !== null);
  const isOver = run.status !== "STARTED";
  const all = [...known, ...own, ...(isOver ? [] : [now])];
  if (all.length === 0) return null;
  const begin = Math.min(...all);
  const end = Math.max(...all, begin + 1);
  const share = (at: number) => (at - begin) / (end - begin);
  const rows = started
    .sort(
      (a, b) =>
        (a.from ?? Number.POSITIVE_INFINITY) - (b.from ?? Number.POSITIVE_INFINITY) ||
        (a.item.position ?? 0) - (b.item.position ?? 0),
    )
    .map(({ item, from, to }) => ({
      item,
      left: from === null ? null : share(from),
      width: from === null ? 0 : Math.max(0, share(Math.max(to ?? end, from)) - share(from)),
      ended: to !== null,
    }));
  return { rows, begin, end };
}

/** How much more or less than before, as a share: 0.2 is a fifth more. Null where one of the two is not known. */
export function changeOf(now: number | null | undefined, before: number | null | undefined): number | null {
  if (now === null || now === undefined || before === null || before === undefined) return null;
  if (before === 0) return now === 0 ? 0 : Number.POSITIVE_INFINITY;
  return (now - before) / before;
}
