import { type Arrow, type Box, GAP_ACROSS, GAP_DOWN, numbered, type Places } from "./graph";
import { backArrows, layers } from "./layers";
import { layered, ordered } from "./order";
import { straightened } from "./straighten";

const GAP_BETWEEN = 56;

/** Places for all boxes, data flowing to the right: each connected part by itself, the largest on top. */
export function layout(boxes: readonly Box[], arrows: readonly Arrow[]): Places {
  const found: Places = {};
  let below = 0;
  for (const part of connected(boxes, arrows)) {
    const places = layoutOfPart(part.boxes, part.arrows);
    let bottom = below;
    for (const box of part.boxes) {
      const { x, y } = places[box.id] ?? { x: 0, y: 0 };
      found[box.id] = { x, y: y + below };
      bottom = Math.max(bottom, y + below + box.height);
    }
    below = bottom + GAP_BETWEEN;
  }
  return found;
}

function layoutOfPart(boxes: readonly Box[], arrows: readonly Arrow[]): Places {
  const graph = numbered(boxes, arrows);
  const isBack = backArrows(graph);
  const layer = layers(graph, isBack);
  const points = layered(graph, layer, isBack);
  const rows = ordered(points);
  const middles = straightened(points, rows, (point) => boxes[point]?.height ?? 0, GAP_DOWN);
  const across = edges(rows, boxes);
  const top = Math.min(...boxes.map((box, at) => (middles[at] ?? 0) - box.height / 2));
  return Object.fromEntries(
    boxes.map((box, at) => {
      const { x, width } = across[layer[at] ?? 0] ?? { x: 0, width: box.width };
      return [
        box.id,
        { x: Math.round(x + (width - box.width) / 2), y: Math.round((middles[at] ?? 0) - box.height / 2 - top) },
      ];
    }),
  );
}

/** Where each layer begins, and how wide it is: as its widest box. */
function edges(rows: readonly (readonly number[])[], boxes: readonly Box[]): { x: number; width: number }[] {
  let x = 0;
  return rows.map((row) => {
    const width = Math.max(0, ...row.map((point) => boxes[point]?.width ?? 0));
    const found = { x, width };
    x += width > 0 ? width + GAP_ACROSS : 0;
    return found;
  });
}

function connected(boxes: readonly Box[], arrows: readonly Arrow[]): { boxes: Box[]; arrows: Arrow[] }[] {
  const roots = new Map(boxes.map((box) => [box.id, box.id]));
  const rootOf = (id: string): string => {
    let at = id;
    for (let up = roots.get(at); up !== undefined && up !== at; up = roots.get(at)) at = up;
    for (let up = id; up !== at;) {
      const next = roots.get(up) as string;
      roots.set(up, at);
      up = next;
    }
    return at;
  };
  const known = arrows.filter((arrow) => roots.has(arrow.from) && roots.has(arrow.to));
  for (const arrow of known) roots.set(rootOf(arrow.from), rootOf(arrow.to));
  const parts = new Map<string, { boxes: Box[]; arrows: Arrow[] }>();
  for (const box of boxes) {
    const root = rootOf(box.id);
    const part = parts.get(root) ?? { boxes: [], arrows: [] };
    part.boxes.push(box);
    parts.set(root, part);
  }
  for (const arrow of known) parts.get(rootOf(arrow.from))?.arrows.push(arrow);
  return [...parts.values()].sort((a, b) => b.boxes.length - a.boxes.length);
}
