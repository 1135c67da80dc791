import type { Layered } from "./order";

const PASSES = 8;
const BOX = 1;
const POINT = 6;

/**
 * The middle of each point from the top: near those of its neighbours, so that long arrows are straight,
 * in the given order and without overlap.
 */
export function straightened(
  graph: Layered,
  rows: readonly (readonly number[])[],
  height: (point: number) => number,
  gap: number,
): Float64Array {
  const middles = new Float64Array(graph.layer.length);
  for (const row of rows) {
    let at = 0;
    for (const point of row) {
      middles[point] = at + height(point) / 2;
      at += height(point) + gap;
    }
    for (const point of row) middles[point] = (middles[point] ?? 0) - at / 2;
  }
  const weight = (point: number) => (point < graph.boxes ? BOX : POINT);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const isRight = pass % 2 === 0;
    for (const row of isRight ? rows : [...rows].reverse()) {
      const wanted = row.map((point) => {
        const near = isRight ? graph.left[point] : graph.right[point];
        const far = isRight ? graph.right[point] : graph.left[point];
        return pull(point, near ?? [], far ?? [], middles, weight);
      });
      const sizes = row.map(height);
      const weights = row.map(weight);
      separated(wanted, sizes, weights, gap).forEach((middle, at) => (middles[row[at] as number] = middle));
    }
  }
  return middles;
}

function pull(
  point: number,
  near: readonly number[],
  far: readonly number[],
  middles: Float64Array,
  weight: (point: number) => number,
): number {
  let sum = 0;
  let weights = 0;
  for (const [side, strength] of [
    [near, 2],
    [far, 1],
  ] as const)
    for (const other of side) {
      const share = strength * weight(other);
      sum += share * (middles[other] ?? 0);
      weights += share;
    }
  return weights > 0 ? sum / weights : (middles[point] ?? 0);
}

/** The middles nearest to the wanted ones (by least squares) that keep their order and a gap: neighbours that collide are moved together. */
export function separated(
  wanted: readonly number[],
  heights: readonly number[],
  weights: readonly number[],
  gap: number,
): number[] {
  const offsets: number[] = [];
  let offset = 0;
  heights.forEach((height, at) => {
    if (at > 0) offset += ((heights[at - 1] ?? 0) + height) / 2 + gap;
    offsets.push(offset);
  });
  const blocks: { mean: number; weight: number; count: number }[] = [];
  wanted.forEach((value, at) => {
    let block = { mean: value - (offsets[at] ?? 0), weight: weights[at] ?? 1, count: 1 };
    for (let last = blocks.at(-1); last && last.mean > block.mean; last = blocks.at(-1)) {
      const weight = last.weight + block.weight;
      block = {
        mean: (last.mean * last.weight + block.mean * block.weight) / weight,
        weight,
        count: last.count + block.count,
      };
      blocks.pop();
    }
    blocks.push(block);
  });
  return blocks
    .flatMap((block) => Array<number>(block.count).fill(block.mean))
    .map((mean, at) => mean + (offsets[at] ?? 0));
}
