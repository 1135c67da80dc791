/** Lines from the right side of one thing to the left side of another. Pure. */
export interface Point {
  x: number;
  y: number;
}

const LEAST = 28;
const ROUND = 36;

/** A smooth line; one that leads back goes round below `bottom`. */
export function curve(from: Point, to: Point, bottom: number): string {
  if (to.x <= from.x + 8) return back(from, to, bottom);
  const pull = Math.max(LEAST, (to.x - from.x) * 0.5);
  return `M${from.x} ${from.y}C${from.x + pull} ${from.y} ${to.x - pull} ${to.y} ${to.x} ${to.y}`;
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
export function middle(from: Point, to: Point, bottom: number): Point {
  if (to.x <= from.x + 8) return { x: (from.x + to.x) / 2, y: bottom };
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}
