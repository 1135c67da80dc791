import { shortNumber } from "./format";

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

/** A value beside its line, with as many digits as tell it from the line one `step` further. */
export function markText(value: number, step: number, locale: string): string {
  if (step >= 1) return shortNumber(value, locale);
  const digits = Math.min(6, Math.ceil(-Math.log10(step)));
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
}

const LETTER = 6.4;

/** Pixels that the longest of the texts beside the lines needs. */
export function roomFor(texts: readonly string[]): number {
  return Math.round(Math.min(120, Math.max(36, 14 + LETTER * Math.max(0, ...texts.map((text) => text.length)))));
}
