import { describe, expect, it } from "vitest";
import { around, kindCounts, meaningsOf, reasonsOf } from "./hits";

const hit = {
  kind: "dataset",
  id: "dataset:a:b",
  key: "k",
  namespace: "a",
  name: "b",
  score: 1,
  description: null,
  highlights: [
    { field: "name", text: "b", marks: [[0, 1]] },
    { field: "column", text: "email", marks: [[0, 5]] },
  ],
  reasons: [
    { by: "text", field: "column", name: null, score: 900 },
    { by: "meaning", field: "table", name: null, score: 0.2 },
    { by: "meaning", field: "column", name: "email", score: 0.5 },
    { by: "meaning", field: "column", name: "phone", score: 0.1 },
  ],
} as Parameters<typeof reasonsOf>[0];

it("a hit says why it matched beside its name", () => {
  expect(reasonsOf(hit).map(({ field }) => field)).toEqual(["column"]);
});

it("a hit says what of it has a meaning near to what was typed, the nearest first", () => {
  expect(meaningsOf(hit).map(({ field, name }) => name ?? field)).toEqual(["email", "table"]);
});

it("only kinds that something was found of are counted", () => {
  expect(kindCounts({ dataset: 1, job: 3, sql: 0 })).toEqual([
    ["job", 3],
    ["dataset", 1],
  ]);
});

describe("a long text", () => {
  it("is cut around its first mark, which stays where the words are", () => {
    const { text, marks } = around(`${"x".repeat(500)}email${"y".repeat(500)}`, [[500, 505]], 100);
    const [[start = 0, end = 0] = []] = marks;
    expect(Array.from(text).slice(start, end).join("")).toBe("email");
    expect(Array.from(text).length).toBe(102);
  });

  it("counts characters that take two units as one", () => {
    const { text, marks } = around(`${"😀".repeat(300)}email`, [[300, 305]], 100);
    const [[start = 0, end = 0] = []] = marks;
    expect(Array.from(text).slice(start, end).join("")).toBe("email");
  });

  it("that is short stays as it is", () => {
    expect(around("email", [[0, 5]])).toEqual({ text: "email", marks: [[0, 5]] });
  });
});
