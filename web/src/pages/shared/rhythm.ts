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
