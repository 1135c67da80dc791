import { expect, it } from "vitest";
import { directOnly, maskedWord, stepsOf } from "./steps";

const node = (id: string, depth: number, masked: boolean | null = false) => ({
  kind: "column" as const,
  id,
  key: id,
  dataset: id,
  column: id,
  namespace: "n",
  name: id,
  depth,
  masked,
});
const edge = (from: string, to: string, type = "DIRECT") => ({
  from,
  to,
  kind: "COLUMN" as const,
  transformations: [{ type, subtype: type === "DIRECT" ? "IDENTITY" : "FILTER", masking: false }],
});
const side = (nodes: ReturnType<typeof node>[], edges: ReturnType<typeof edge>[]) =>
  ({ nodes, edges, truncated: false, left_out: {}, complete: true, hidden: 0 }) as unknown as Parameters<
    typeof stepsOf
  >[0];

const UP = side(
  [node("here", 0), node("near", 1), node("far", 2), node("filter", 1)],
  [edge("far", "near"), edge("near", "here"), edge("filter", "here", "INDIRECT")],
);

it("upstream the farthest comes first, and each step says where it leads", () => {
  const steps = stepsOf(UP, "upstream");
  expect(steps.map(({ id, ways }) => [id, ways.map(({ to }) => to)])).toEqual([
    ["far", ["near"]],
    ["filter", ["here"]],
    ["near", ["here"]],
  ]);
});

it("downstream the nearest comes first, and each step says where it comes from", () => {
  const down = side([node("here", 0), node("b", 2), node("a", 1)], [edge("here", "a"), edge("a", "b")]);
  expect(stepsOf(down, "downstream").map(({ id, ways }) => [id, ways[0]?.to])).toEqual([
    ["a", "here"],
    ["b", "a"],
  ]);
  expect(stepsOf(undefined, "upstream")).toEqual([]);
});

it("columns that only decide over rows can be left out", () => {
  expect(directOnly(stepsOf(UP, "upstream")).map(({ id }) => id)).toEqual(["far", "near"]);
});

it("what only comes to a column that decides over rows is left out with it", () => {
  const up = side(
    [node("here", 0), node("key", 1), node("source", 2), node("amount", 1)],
    [edge("source", "key"), edge("key", "here", "INDIRECT"), edge("amount", "here")],
  );
  expect(directOnly(stepsOf(up, "upstream")).map(({ id }) => id)).toEqual(["amount"]);
});

it("masking is told of the whole side", () => {
  const masked = (...said: (boolean | null)[]) =>
    maskedWord(
      stepsOf(side([node("here", 0), ...said.map((one, place) => node(`c${place}`, 1, one))], []), "downstream"),
    );
  expect(masked()).toBe("none");
  expect(masked(false, false)).toBe("none");
  expect(masked(true, false)).toBe("some");
  expect(masked(true, true)).toBe("all");
  expect(masked(true, null)).toBe("unknown");
});
