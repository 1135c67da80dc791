import type { Arrow, Box, Places } from "./graph";
import { separated } from "./straighten";

/** A level stretch of a line, between two boxes one above the other, or above or below all of them. */
export interface Passage {
  left: number;
  right: number;
  y: number;
}

/** By arrow (`FROM>TO`), the passages from left to right that lead it around the boxes between its ends. */
export type Routes = Readonly<Record<string, readonly Passage[]>>;

/** How near a line may come to a box. */
const CLEAR = 8;
/** Room for the bend between an end and a passage. */
const BEND = 6;
const LANE = 6;
const MOST_TRIED = 12;

interface Edges {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
interface Point {
  x: number;
  y: number;
}
/** A part of the way in which boxes stand, with what is free there from top to bottom. */
interface Band {
  left: number;
  right: number;
  free: readonly (readonly [number, number])[];
}
interface Routed {
  from: Point;
  to: Point;
  bands: readonly Band[];
  passages: Passage[];
  /** By passage, the place of its free interval in the band. */
  chosen: readonly number[];
}

/** Ways around the boxes for the arrows that would lead across some as plain curves. Arrows that lead back have none. */
export function routes(boxes: readonly Box[], arrows: readonly Arrow[], places: Places): Routes {
  const edges = boxes.flatMap((box) => {
    const place = places[box.id];
    if (!place) return [];
    return [{ left: place.x, right: place.x + box.width, top: place.y, bottom: place.y + box.height, id: box.id }];
  });
  edges.sort((a, b) => a.left - b.left);
  const widest = Math.max(0, ...boxes.map(({ width }) => width));
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const found = new Map<string, Routed>();
  for (const arrow of arrows) {
    const id = `${arrow.from}>${arrow.to}`;
    const [first, last] = [byId.get(arrow.from), byId.get(arrow.to)];
    const [start, end] = [places[arrow.from], places[arrow.to]];
    if (!first || !last || !start || !end || found.has(id)) continue;
    const from = { x: start.x + first.width, y: start.y + portOf(first) };
    const to = { x: end.x, y: end.y + portOf(last) };
    if (to.x - from.x < 2 * BEND + LANE) continue;
    const between: Edges[] = [];
    for (let at = firstAfter(edges, from.x - widest); at < edges.length; at += 1) {
      const box = edges[at] as (typeof edges)[number];
      if (box.left >= to.x) break;
      if (box.right > from.x && box.id !== arrow.from && box.id !== arrow.to) between.push(box);
    }
    if (!between.some((box) => isCrossed(box, from, to))) continue;
    const bands = bandsOf(between, from.x + BEND, to.x - BEND);
    found.set(id, { from, to, bands, ...cheapest(bands, from, to) });
  }
  spread([...found.values()]);
  return Object.fromEntries([...found].map(([id, { passages }]) => [id, passages]));
}

function portOf({ port, height }: Box): number {
  return port ?? height / 2;
}

function firstAfter(edges: readonly Edges[], x: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const half = (low + high) >> 1;
    if ((edges[half] as Edges).left < x) low = half + 1;
    else high = half;
  }
  return low;
}

/** Whether the plain curve between two points leads across a box. */
function isCrossed(box: Edges, from: Point, to: Point): boolean {
  const [one, other] = [heightAt(box.left, from, to), heightAt(box.right, from, to)];
  return Math.max(one, other) > box.top - CLEAR / 2 && Math.min(one, other) < box.bottom + CLEAR / 2;
}

/** The height of the plain curve (its pulls reach half of the way) at a place across, by halving. */
function heightAt(x: number, from: Point, to: Point): number {
  const part = (x - from.x) / (to.x - from.x);
  if (part <= 0) return from.y;
  if (part >= 1) return to.y;
  let [low, high] = [0, 1];
  for (let pass = 0; pass < 14; pass += 1) {
    const half = (low + high) / 2;
    if (half * (1.5 - 1.5 * half + half * half) < part) low = half;
    else high = half;
  }
  return from.y + (to.y - from.y) * low * low * (3 - 2 * low);
}

function bandsOf(boxes: readonly Edges[], left: number, right: number): Band[] {
  const groups: { left: number; right: number; boxes: Edges[] }[] = [];
  for (const box of [...boxes].sort((a, b) => a.left - b.left)) {
    const last = groups.at(-1);
    if (last && box.left < last.right + 2 * BEND) {
      last.right = Math.max(last.right, box.right);
      last.boxes.push(box);
    } else groups.push({ left: box.left, right: box.right, boxes: [box] });
  }
  return groups.map((group) => ({
    left: Math.max(left, Math.min(right, group.left - 2)),
    right: Math.min(right, Math.max(left, group.right + 2)),
    free: freeBetween(group.boxes),
  }));
}

function freeBetween(boxes: readonly Edges[]): [number, number][] {
  const free: [number, number][] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { top, bottom } of [...boxes].sort((a, b) => a.top - b.top)) {
    if (top - CLEAR >= from) free.push([from, top - CLEAR]);
    from = Math.max(from, bottom + CLEAR);
  }
  free.push([from, Number.POSITIVE_INFINITY]);
  return free;
}

/** One free interval and height for each band, so that the line goes up and down as little as it can. */
function cheapest(bands: readonly Band[], from: Point, to: Point): Pick<Routed, "passages" | "chosen"> {
  interface Step {
    y: number;
    free: number;
    cost: number;
    before: Step | null;
  }
  let steps: Step[] = [{ y: from.y, free: -1, cost: 0, before: null }];
  for (const band of bands) {
    const part = ((band.left + band.right) / 2 - from.x) / (to.x - from.x);
    const straight = from.y + (to.y - from.y) * part;
    const tried = band.free
      .map(([top, bottom], free) => ({ free, top, bottom, far: Math.max(0, top - straight, straight - bottom) }))
      .sort((a, b) => a.far - b.far)
      .slice(0, MOST_TRIED)
      .flatMap(({ free, top, bottom }) =>
        [...new Set([from.y, straight, to.y].map((y) => Math.min(bottom, Math.max(top, y))))].map((y) => ({ free, y })),
      );
    const known = steps;
    steps = tried.map(({ free, y }) => {
      let best: Step | null = null;
      let least = Number.POSITIVE_INFINITY;
      for (const step of known) {
        const cost = step.cost + bendCost(y - step.y);
        if (cost < least) [best, least] = [step, cost];
      }
      return { y, free, cost: least, before: best };
    });
  }
  let last = steps[0] as Step;
  for (const step of steps) if (step.cost + bendCost(to.y - step.y) < last.cost + bendCost(to.y - last.y)) last = step;
  const ways: Step[] = [];
  for (let step: Step | null = last; step?.before; step = step.before) ways.unshift(step);
  return {
    passages: ways.map(({ y }, at) => ({ left: bands[at]?.left ?? 0, right: bands[at]?.right ?? 0, y })),
    chosen: ways.map(({ free }) => free),
  };
}

/** Long ways cost more, and each bend a little. */
function bendCost(down: number): number {
  return Math.abs(down) < 1 ? 0 : Math.abs(down) + 16;
}

/** Lines that share a passage lie beside each other, as far as there is room. */
function spread(lines: readonly Routed[]): void {
  interface Shared {
    line: Routed;
    at: number;
    passage: Passage;
  }
  const shared = new Map<string, Shared[]>();
  for (const line of lines)
    line.passages.forEach((passage, at) => {
      const [top, bottom] = intervalOf(line, at);
      const id = `${Math.round((passage.left + passage.right) / 40)}:${Math.round(top)}:${Math.round(bottom)}`;
      const known = shared.get(id);
      if (known) known.push({ line, at, passage });
      else shared.set(id, [{ line, at, passage }]);
    });
  const before = ({ line, at }: Shared) => line.passages[at - 1]?.y ?? line.from.y;
  const after = ({ line, at }: Shared) => line.passages[at + 1]?.y ?? line.to.y;
  for (const group of shared.values()) {
    if (group.length < 2) continue;
    const [top, bottom] = intervalOf((group[0] as Shared).line, (group[0] as Shared).at);
    group.sort((a, b) => a.passage.y - b.passage.y || before(a) + after(a) - before(b) - after(b));
    const lane = Math.min(LANE, (bottom - top) / group.length);
    const wanted = separated(
      group.map(({ passage }) => passage.y),
      group.map(() => 0),
      group.map(() => 1),
      lane,
    );
    const over = Math.max(0, (wanted.at(-1) ?? 0) - bottom);
    const under = Math.max(0, top - ((wanted[0] ?? 0) - over));
    group.forEach(({ passage }, at) => (passage.y = Math.round((wanted[at] ?? 0) - over + under)));
  }
}

function intervalOf(line: Routed, at: number): readonly [number, number] {
  return line.bands[at]?.free[line.chosen[at] ?? 0] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
}
