import { arrowsBy, type Numbered } from "./graph";

/** Boxes with a point in each layer that an arrow passes; what the points are for is that arrows do not cross boxes. */
export interface Layered {
  /** By layer, numbers of points from top to bottom; the boxes come first in the numbering. */
  rows: number[][];
  layer: Int32Array;
  /** By point, its neighbours one layer to the left, and to the right. */
  left: number[][];
  right: number[][];
  boxes: number;
}

const SWEEPS = 8;
const MOST_POINTS = 30_000;
const MOST_COUNTED = 4_000;

/** Arrows are cut at each layer that they pass, as far as there is room for so many points. */
export function layered(graph: Numbered, layer: Int32Array, isBack: Uint8Array): Layered {
  const boxes = graph.boxes.length;
  const deepest = Math.max(0, ...layer);
  const layerOf = [...layer];
  const rows: number[][] = Array.from({ length: deepest + 1 }, () => []);
  for (const box of firstOrder(graph, isBack)) rows[layer[box] ?? 0]?.push(box);
  const left: number[][] = Array.from({ length: boxes }, () => []);
  const right: number[][] = Array.from({ length: boxes }, () => []);
  const join = (a: number, b: number) => {
    right[a]?.push(b);
    left[b]?.push(a);
  };
  graph.from.forEach((from, arrow) => {
    const to = graph.to[arrow] as number;
    const [a, b] = isBack[arrow] ? [to, from] : [from, to];
    const [first, last] = [layer[a] ?? 0, layer[b] ?? 0];
    if (first >= last) return;
    let before = a;
    for (let at = first + 1; at < last && layerOf.length < MOST_POINTS; at += 1) {
      const point = layerOf.length;
      layerOf.push(at);
      left.push([]);
      right.push([]);
      rows[at]?.push(point);
      join(before, point);
      before = point;
    }
    if ((layerOf[before] ?? 0) + 1 === last) join(before, b);
  });
  return { rows, layer: Int32Array.from(layerOf), left, right, boxes };
}

/** Boxes as a walk in depth from the sources meets them: what belongs together begins together. */
function firstOrder(graph: Numbered, isBack: Uint8Array): number[] {
  const count = graph.boxes.length;
  const out = arrowsBy(graph.from, count);
  const incoming = new Int32Array(count);
  graph.to.forEach((to, arrow) => {
    if (!isBack[arrow]) incoming[to] = (incoming[to] ?? 0) + 1;
  });
  const seen = new Uint8Array(count);
  const found: number[] = [];
  for (let root = 0; root < count; root += 1) {
    if (incoming[root]) continue;
    const way = [root];
    while (way.length > 0) {
      const box = way.pop() as number;
      if (seen[box]) continue;
      seen[box] = 1;
      found.push(box);
      for (const arrow of [...(out[box] ?? [])].reverse()) way.push(graph.to[arrow] as number);
    }
  }
  for (let box = 0; box < count; box += 1) if (!seen[box]) found.push(box);
  return found;
}

/** Sorts each layer by the mean place of its neighbours, to the right and back, and keeps the order with fewest crossings. */
export function ordered(graph: Layered): number[][] {
  const places = new Float64Array(graph.layer.length);
  const number = (row: readonly number[]) => row.forEach((point, at) => (places[point] = at));
  const rows = graph.rows.map((row) => [...row]);
  rows.forEach(number);
  let best = rows.map((row) => [...row]);
  const isCounted = graph.layer.length <= MOST_COUNTED;
  let fewest = isCounted ? crossings(rows, graph.right, places) : Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    const isRight = sweep % 2 === 0;
    const sides = isRight ? graph.left : graph.right;
    for (const row of isRight ? rows : [...rows].reverse()) {
      const means = new Map(row.map((point) => [point, mean(sides[point] ?? [], places, places[point] ?? 0)]));
      row.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0) || (places[a] ?? 0) - (places[b] ?? 0));
      number(row);
    }
    const count = isCounted ? crossings(rows, graph.right, places) : -sweep;
    if (count < fewest) {
      fewest = count;
      best = rows.map((row) => [...row]);
    }
    if (!isCounted) fewest = Number.POSITIVE_INFINITY;
  }
  return isCounted ? best : rows;
}

function mean(points: readonly number[], places: Float64Array, fallback: number): number {
  if (points.length === 0) return fallback;
  let sum = 0;
  for (const point of points) sum += places[point] ?? 0;
  return sum / points.length;
}

/** How often arrows between neighbouring layers cross, counted with a tree of sums. */
export function crossings(
  rows: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
  places: Float64Array,
): number {
  let total = 0;
  rows.forEach((row, layer) => {
    const width = rows[layer + 1]?.length ?? 0;
    const tree = new Int32Array(width + 1);
    let seen = 0;
    for (const point of row) {
      const ends = (right[point] ?? []).map((end) => places[end] ?? 0);
      for (const end of ends) {
        let below = 0;
        for (let at = end + 1; at > 0; at -= at & -at) below += tree[at] ?? 0;
        total += seen - below;
      }
      for (const end of ends) {
        seen += 1;
        for (let at = end + 1; at <= width; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
      }
    }
  });
  return total;
}
