/** The usual time between moments, and how sure that is; null of fewer than four, or where they follow no rhythm. */
export function rhythmOf(times: readonly (string | null | undefined)[]): number | null {
  const at = [...new Set(times.flatMap((time) => (time ? [Date.parse(time)] : [])))]
    .filter((time) => !Number.isNaN(time))
    .sort((a, b) => a - b);
  if (at.length < 4) return null;
  const gaps = at
    .slice(1)
    .map((time, place) => time - (at[place] ?? time))
    .sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)] ?? 0;
  const nearly = gaps.filter((gap) => gap > usual / 2 && gap < usual * 2).length;
  return usual >= 1000 && nearly * 2 >= gaps.length ? usual : null;
}

export type Every = { unit: "minute" | "hour" | "day" | "week"; count: number };

const UNITS = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** A rhythm in the largest unit that it is nearly a whole number of: 25 hours are a day. */
export function everyOf(milliseconds: number): Every {
  for (const [unit, size] of UNITS) {
    const count = Math.round(milliseconds / size);
    if (count >= 1 && Math.abs(milliseconds - count * size) <= size * count * 0.15) return { unit, count };
  }
  const [unit, size] = UNITS.find(([, length]) => milliseconds >= length) ?? UNITS[3];
  return { unit, count: Math.max(1, Math.round(milliseconds / size)) };
}
