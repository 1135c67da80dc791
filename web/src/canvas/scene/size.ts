/** Sizes of what is drawn, in pixels at full zoom; the style sheets of `draw` keep to them. */
export const CARD_WIDTH = 240;
export const CARD_HEAD = 54;
export const CARD_FOOT = 26;
export const ROW = 22;
export const ROWS_ROOM = 8;
export const MOST_ROWS = 12;
export const PILL_HEIGHT = 24;
export const GROUP_HEIGHT = 64;
const PILL_LEAST = 56;
const PILL_MOST = 232;
const LETTER = 7.5;

export function cardHeight(columns: number, rows: number | null): number {
  const body = rows === null || rows === 0 ? 0 : Math.min(rows, MOST_ROWS) * ROW + ROWS_ROOM;
  return CARD_HEAD + body + (columns > 0 ? CARD_FOOT : 0);
}

/** Width for a text that is cut where it is too long. Letters of Chinese and the like take twice the room. */
export function pillWidth(text: string): number {
  let letters = 0;
  for (const letter of text) {
    letters += letter > "\u2E7F" ? 1.8 : 1;
    if (letters > 40) break;
  }
  return Math.round(Math.min(PILL_MOST, Math.max(PILL_LEAST, letters * LETTER + 36)));
}
