/** A round step (1, 2 or 5 times a power of ten) that cuts `range` into about `parts` pieces. */
export function roundStep(range: number, parts: number): number {
  if (!(range > 0)) return 1;
  const rough = range / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  const rest = rough / power;
  return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

/** Marks from 0 to at least `most`. */
export function marks(most: number, parts = 3): number[] {
  const step = roundStep(most, parts);
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, place) => place * step);
}
