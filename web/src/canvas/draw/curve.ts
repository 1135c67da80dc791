import type { Passage } from "../layout/routes";

/** Lines from the right side of one thing to the left side of another. Pure. */
export interface Point {
  x: number;
  y: number;
}

const LEAST = 28;
const ROUND = 36;

/** A smooth line, through the passages if there are some; one that leads back goes round below `bottom`. */
export function curve(from: Point, to: Point, bottom: number, passages: readonly Passage[] = []): string {
  if (to.x <= from.x + 8) return back(from, to, bottom);
  const parts = [`M${from.x} ${from.y}`];
  let at = from;
  for (const { left, right, y } of passages) {
    parts.push(bend(at, { x: left, y }), `L${right} ${y}`);
    at = { x: right, y };
  }
  parts.push(passages.length > 0 ? bend(at, to) : bend(at, to, LEAST));
  return parts.join("");
}

function bend(from: Point, to: Point, least = 0): string {
  const pull = Math.max(least, (to.x - from.x) * 0.5);
  return `C${from.x + pull} ${from.y} ${to.x - pull} ${to.y} ${to.x} ${to.y}`;
}

function back(from: Point, to: Point, bottom: number): string {
  const right = from.x + ROUND;
  const left = to.x - ROUND;
  return [
    `M${from.x} ${from.y}`,
    `C${right} ${from.y} ${right} ${bottom} ${from.x} ${bottom}`,
    `L${to.x} ${bottom}`,
    `C${left} ${bottom} ${left} ${to.y} ${to.x} ${to.y}`,
  ].join("");
}

/** A point on the line, for what stands on it. */
export function middle(from: Point, to: Point, bottom: number, passages: readonly Passage[] = []): Point {
  if (to.x <= from.x + 8) return { x: (from.x + to.x) / 2, y: bottom };
  const passage = passages[passages.length >> 1];
  if (passage) return { x: (passage.left + passage.right) / 2, y: passage.y };
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}
