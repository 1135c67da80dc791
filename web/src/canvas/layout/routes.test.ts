import { describe, expect, it } from "vitest";
import { curve } from "../draw/curve";
import { answered } from "./asked";
import type { Arrow, Box, Places } from "./graph";
import { routes } from "./routes";

const box = (id: string, height = 60): Box => ({ id, width: 200, height, port: 27 });

/** A graph of layers in which many arrows pass several of them. */
function someGraph(count: number, seed: number): { boxes: Box[]; arrows: Arrow[] } {
  let state = seed;
  const random = (most: number) => {
    state = (state * 48271) % 2147483647;
    return state % most;
  };
  const boxes = Array.from({ length: count }, (_, at) => box(`n${at}`, 40 + random(120)));
  const arrows = boxes.slice(1).flatMap((_, at): Arrow[] => {
    const near = { from: `n${Math.max(0, at - random(6))}`, to: `n${at + 1}` };
    return random(3) === 0 ? [near, { from: `n${random(at + 1)}`, to: `n${at + 1}` }] : [near];
  });
  return { boxes, arrows };
}

/** Points of a path of curves and straight lines. */
function pointsOf(path: string): { x: number; y: number }[] {
  const found: { x: number; y: number }[] = [];
  let at = { x: 0, y: 0 };
  for (const [, letter, numbers] of path.matchAll(/([MLC])([^MLC]+)/g)) {
    const [a = 0, b = 0, c = 0, d = 0, x = a, y = b] = (numbers ?? "").trim().split(" ").map(Number);
    if (letter === "C")
      for (let part = 1; part < 40; part += 1) {
        const [t, u] = [part / 40, 1 - part / 40];
        const mix = (p: number, q: number, r: number, s: number) =>
          u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s;
        found.push({ x: mix(at.x, a, c, x), y: mix(at.y, b, d, y) });
      }
    at = { x, y };
    found.push(at);
  }
  return found;
}

function crossed(boxes: readonly Box[], arrows: readonly Arrow[], places: Places, ways: ReturnType<typeof routes>) {
  const byId = new Map(boxes.map((one) => [one.id, one]));
  return arrows.flatMap(({ from, to }) => {
    const [first, start, end] = [byId.get(from), places[from], places[to]];
    if (!first || !start || !end || end.x <= start.x + first.width + 20) return [];
    const path = curve(
      { x: start.x + first.width, y: start.y + 27 },
      { x: end.x, y: end.y + 27 },
      0,
      ways[`${from}>${to}`],
    );
    const points = pointsOf(path);
    return boxes
      .filter(({ id, width, height }) => {
        const place = places[id];
        if (!place || id === from || id === to) return false;
        return points.some(
          ({ x, y }) => x > place.x + 1 && x < place.x + width - 1 && y > place.y + 1 && y < place.y + height - 1,
        );
      })
      .map(({ id }) => `${from}>${to} crosses ${id}`);
  });
}

describe("ways of lines", () => {
  it("are plain where nothing is between, and lead around what is", () => {
    const boxes = [box("a"), box("b"), box("c")];
    const places = { a: { x: 0, y: 0 }, b: { x: 260, y: 0 }, c: { x: 520, y: 0 } };
    const found = routes(
      boxes,
      [
        { from: "a", to: "b" },
        { from: "a", to: "c" },
      ],
      places,
    );
    expect(Object.keys(found)).toEqual(["a>c"]);
    const [passage] = found["a>c"] ?? [];
    expect(passage?.left).toBeLessThan(260);
    expect(passage?.right).toBeGreaterThan(460);
    expect(passage?.y).toBe(-8);
  });

  it("that share a gap lie beside each other", () => {
    const boxes = [box("a"), box("b"), box("m"), box("c"), box("d")];
    const places = {
      a: { x: 0, y: 0 },
      b: { x: 0, y: 4 },
      m: { x: 260, y: -400 },
      c: { x: 520, y: 0 },
      d: { x: 520, y: 4 },
    };
    const tall = boxes.map((one) => (one.id === "m" ? { ...one, height: 800 } : one));
    const found = routes(
      tall,
      [
        { from: "a", to: "c" },
        { from: "b", to: "d" },
      ],
      places,
    );
    const ends = Object.values(found).map((way) => way[0]?.y ?? 0);
    expect(ends).toHaveLength(2);
    expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0))).toBeGreaterThan(3);
  });

  it.each([1, 2, 3, 4])("cross no box of any picture, laid out afresh or grown (%i)", (seed) => {
    const { boxes, arrows } = someGraph(90, seed);
    const fresh = answered({ boxes, arrows, pairs: [], before: null });
    expect(crossed(boxes, arrows, fresh.places, fresh.routes)).toEqual([]);
    const first = answered({ boxes: boxes.slice(0, 30), arrows, pairs: [], before: null });
    const grown = answered({ boxes, arrows, pairs: [], before: first.places });
    expect(crossed(boxes, arrows, grown.places, grown.routes)).toEqual([]);
  });
});
