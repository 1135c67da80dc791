/** A day of a series of a dataset, as the server has it. */
export interface DatasetDay {
  day: string;
  reads: number;
  writes: number;
  failures: number;
  rows_read: number | null;
  rows_written: number | null;
  bytes_read: number | null;
  bytes_written: number | null;
}

const DAY = 86_400_000;

/** The days of a series with those on which nothing happened put in, so that a gap looks like one; at most so many. */
export function filledDays(known: readonly DatasetDay[], most: number): DatasetDay[] {
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return [];
  const end = Date.parse(last.day);
  const begin = Math.max(Date.parse(first.day), end - (most - 1) * DAY);
  const byDay = new Map(known.map((day) => [day.day, day]));
  const found: DatasetDay[] = [];
  for (let at = begin; at <= end; at += DAY) {
    const day = new Date(at).toISOString().slice(0, 10);
    found.push(
      byDay.get(day) ?? {
        day,
        reads: 0,
        writes: 0,
        failures: 0,
        rows_read: null,
        rows_written: null,
        bytes_read: null,
        bytes_written: null,
      },
    );
  }
  return found;
}
