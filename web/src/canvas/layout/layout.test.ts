import { describe, expect, it } from "vitest";
import { type Arrow, type Box, numbered, type Places } from "./graph";
import { grown } from "./grow";
import { backArrows, layers } from "./layers";
import { layout } from "./layout";
import { crossings, layered, ordered } from "./order";
import { separated } from "./straighten";

const box = (id: string, height = 60): Box => ({ id, width: 240, height });
const boxes = (ids: string) => [...ids].map((id) => box(id));
const arrows = (...pairs: string[]): Arrow[] => pairs.map(([from = "", to = ""]) => ({ from, to }));

function layersOf(ids: string, ...pairs: string[]): Record<string, number> {
  const graph = numbered(boxes(ids), arrows(...pairs));
  const found = layers(graph, backArrows(graph));
  return Object.fromEntries([...ids].map((id, at) => [id, found[at] ?? -1]));
}

function overlaps(all: readonly Box[], places: Places): string[] {
  const found: string[] = [];
  all.forEach((a, at) => {
    for (const b of all.slice(at + 1)) {
      const [p, q] = [places[a.id], places[b.id]];
      if (!p || !q) continue;
      const isApart = p.x + a.width <= q.x || q.x + b.width <= p.x || p.y + a.height <= q.y || q.y + b.height <= p.y;
      if (!isApart) found.push(`${a.id}${b.id}`);
    }
  });
  return found;
}

/** The same numbers each time, without a seed of the machine. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function someGraph(count: number, seed: number): { all: Box[]; between: Arrow[] } {
  const next = random(seed);
  const all = Array.from({ length: count }, (_, at) => box(String(at), 60 + Math.floor(next() * 200)));
  const between = Array.from({ length: Math.floor(count * 1.6) }, () => ({
    from: String(Math.floor(next() * count)),
    to: String(Math.floor(next() * count)),
  }));
  return { all, between };
}

describe("layers", () => {
  it("are the longest path; a source stands next to what it feeds", () => {
    expect(layersOf("abcd", "ab", "bc", "ac", "dc")).toEqual({ a: 0, b: 1, c: 2, d: 1 });
  });

  it("of a cycle: one arrow leads back, the rest forward", () => {
    expect(layersOf("abc", "ab", "bc", "ca")).toEqual({ a: 0, b: 1, c: 2 });
    const graph = numbered(boxes("abc"), arrows("ab", "bc", "ca"));
    expect([...backArrows(graph)]).toEqual([0, 0, 1]);
  });

  it("an arrow may cross more than one", () => {
    const graph = numbered(boxes("ab"), [{ from: "a", to: "b", span: 2 }]);
    expect([...layers(graph, backArrows(graph))]).toEqual([0, 2]);
  });
});

describe("the order in layers", () => {
  it("has no crossing where there need be none", () => {
    const graph = numbered(boxes("abcdef"), arrows("af", "be", "cd"));
    const points = layered(graph, layers(graph, backArrows(graph)), backArrows(graph));
    const rows = ordered(points);
    const places = new Float64Array(6);
    for (const row of rows) row.forEach((point, at) => (places[point] = at));
    expect(crossings(rows, points.right, places)).toBe(0);
  });

  it("crossings are counted", () => {
    const places = Float64Array.from([0, 1, 0, 1]);
    expect(
      crossings(
        [
          [0, 1],
          [2, 3],
        ],
        [[3], [2], [], []],
        places,
      ),
    ).toBe(1);
    expect(
      crossings(
        [
          [0, 1],
          [2, 3],
        ],
        [[2], [3], [], []],
        places,
      ),
    ).toBe(0);
    expect(
      crossings(
        [
          [0, 1],
          [2, 3],
        ],
        [[2, 3], [2, 3], [], []],
        places,
      ),
    ).toBe(1);
  });
});

describe("heights", () => {
  it("are the wanted ones where nothing collides, else moved as little as possible", () => {
    expect(separated([0, 100], [20, 20], [1, 1], 10)).toEqual([0, 100]);
    expect(separated([50, 50], [20, 20], [1, 1], 10)).toEqual([35, 65]);
    expect(separated([50, 50], [20, 20], [1, 3], 10)).toEqual([27.5, 57.5]);
  });
});

describe("a layout", () => {
  it("of a chain is a straight line to the right", () => {
    const places = layout([box("a"), box("b", 200), box("c")], arrows("ab", "bc"));
    const middles = [30, 100, 30].map((half, at) => (places["abc"[at] ?? ""]?.y ?? 0) + half);
    expect(new Set(middles).size).toBe(1);
    expect(places["a"]?.x).toBeLessThan(places["b"]?.x ?? 0);
    expect(places["b"]?.x).toBeLessThan(places["c"]?.x ?? 0);
  });

  it.each([1, 2, 3])("of any graph has nothing over another (%i)", (seed) => {
    const { all, between } = someGraph(120, seed);
    const places = layout(all, between);
    expect(Object.keys(places)).toHaveLength(120);
    expect(overlaps(all, places)).toEqual([]);
  });

  it("draws parts that nothing connects one below the other, the largest on top", () => {
    const places = layout(boxes("abcd"), arrows("bc", "cd"));
    expect(places["a"]?.y).toBeGreaterThan((places["d"]?.y ?? 0) + 60);
  });

  it("of nothing is nothing", () => {
    expect(layout([], [])).toEqual({});
  });
});

describe("a picture that grows", () => {
  const before = layout(boxes("abc"), arrows("ab", "bc"));

  it("keeps every place, and puts what is new beside its neighbour", () => {
    const all = boxes("abcxyz");
    const places = grown(all, arrows("ab", "bc", "xb", "yb", "cz"), before);
    for (const id of "abc") expect(places[id]).toEqual(before[id]);
    expect(places["x"]?.x).toBe(before["a"]?.x);
    expect(places["z"]?.x).toBeGreaterThan(before["c"]?.x ?? 0);
    expect(overlaps(all, places)).toEqual([]);
  });

  it("moves down only what a card that became higher would cover", () => {
    const first = layout(boxes("abc"), arrows("ac", "bc"));
    const [upper, lower] = (first["a"]?.y ?? 0) < (first["b"]?.y ?? 0) ? ["a", "b"] : ["b", "a"];
    const all = [box(upper ?? "", 300), box(lower ?? ""), box("c")];
    const places = grown(all, arrows("ac", "bc"), first);
    expect(places[upper ?? ""]).toEqual(first[upper ?? ""]);
    expect(places["c"]).toEqual(first["c"]);
    expect(places[lower ?? ""]?.x).toBe(first[lower ?? ""]?.x);
    expect(overlaps(all, places)).toEqual([]);
  });

  it.each([4, 5])("has nothing over another, however it grows (%i)", (seed) => {
    const { all, between } = someGraph(60, seed);
    const first = layout(all.slice(0, 20), between);
    const places = grown(all, between, first);
    expect(Object.keys(places)).toHaveLength(60);
    for (const one of all.slice(0, 20)) expect(places[one.id]).toEqual(first[one.id]);
    expect(overlaps(all, places)).toEqual([]);
  });
});
