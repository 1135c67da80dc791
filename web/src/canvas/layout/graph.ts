/** What is laid out: boxes of a size, and arrows between them. All of it can be sent to a worker. */
export interface Box {
  id: string;
  width: number;
  height: number;
  /** Where lines begin and end at its sides, from its top; in the middle unless given. */
  port?: number;
  /** Lines that only pass may lead below it. */
  low?: boolean;
}
export interface Arrow {
  from: string;
  to: string;
  /** Layers that it crosses at least; 1 unless given. */
  span?: number;
}
export interface Place {
  x: number;
  y: number;
}
/** Upper left corners by id. */
export type Places = Record<string, Place>;

export const GAP_ACROSS = 54;
export const GAP_DOWN = 24;

/** Boxes and arrows by number; arrows that lead nowhere, or back into the same box, are left out. */
export interface Numbered {
  boxes: readonly Box[];
  from: number[];
  to: number[];
  span: number[];
}

export function numbered(boxes: readonly Box[], arrows: readonly Arrow[]): Numbered {
  const at = new Map(boxes.map((box, index) => [box.id, index]));
  const graph: Numbered = { boxes, from: [], to: [], span: [] };
  for (const arrow of arrows) {
    const from = at.get(arrow.from);
    const to = at.get(arrow.to);
    if (from === undefined || to === undefined || from === to) continue;
    graph.from.push(from);
    graph.to.push(to);
    graph.span.push(arrow.span ?? 1);
  }
  return graph;
}

/** By box, the numbers of its arrows in one direction. */
export function arrowsBy(ends: readonly number[], count: number): number[][] {
  const found: number[][] = Array.from({ length: count }, () => []);
  ends.forEach((end, arrow) => found[end]?.push(arrow));
  return found;
}
