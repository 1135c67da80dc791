import { describe, expect, it } from "vitest";
import type { Scene } from "../scene/scene";
import { columnBeside, itemBeside, nextFlow } from "./walk";

const item = (id: string, kind = "card", rows: string[] | null = null) =>
  ({
    id,
    kind,
    width: 100,
    height: 40,
    rows: rows?.map((name) => ({ name })) ?? null,
  }) as unknown as Scene["items"][number];
const line = (from: string, to: string) => ({ from, to }) as Scene["lines"][number];

const SCENE: Scene = {
  items: [item("a", "card", ["id", "day"]), item("p", "pill"), item("b"), item("c"), item("d")],
  lines: [line("a", "p"), line("p", "b"), line("a", "c"), line("b", "d")],
};
const PLACES = {
  a: { x: 0, y: 0 },
  p: { x: 150, y: 10 },
  b: { x: 300, y: 0 },
  c: { x: 300, y: 100 },
  d: { x: 600, y: 0 },
};

describe("arrow keys", () => {
  it("lead along lines, past pills, to the nearest card", () => {
    expect(itemBeside(SCENE, PLACES, "a", "right")).toBe("b");
    expect(itemBeside(SCENE, PLACES, "b", "left")).toBe("a");
    expect(itemBeside(SCENE, PLACES, "c", "left")).toBe("a");
    expect(itemBeside(SCENE, PLACES, "d", "right")).toBeNull();
  });

  it("lead up and down to the card above or below", () => {
    expect(itemBeside(SCENE, PLACES, "b", "down")).toBe("c");
    expect(itemBeside(SCENE, PLACES, "c", "up")).toBe("b");
    expect(itemBeside(SCENE, PLACES, "b", "up")).toBeNull();
  });

  it("lead from column to column, in the card and along the path", () => {
    const at = { kind: "column", key: "a", column: "id" } as const;
    const edges = { columns: [{ from: "a", from_column: "id", to: "b", to_column: "key" }] };
    expect(columnBeside(SCENE, edges, at, "down")?.column).toBe("day");
    expect(columnBeside(SCENE, edges, at, "up")).toBeNull();
    expect(columnBeside(SCENE, edges, at, "right")).toEqual({ kind: "column", key: "b", column: "key" });
    expect(columnBeside(SCENE, edges, { kind: "column", key: "b", column: "key" }, "left")).toEqual(at);
  });

  it("e goes through the edges of a card and begins again", () => {
    const flows = [line("a", "b"), line("x", "y"), line("c", "a")];
    expect(nextFlow(flows, "a", null)).toBe(flows[0]);
    expect(nextFlow(flows, "a", { from: "a", to: "b" })).toBe(flows[2]);
    expect(nextFlow(flows, "a", { from: "c", to: "a" })).toBe(flows[0]);
    expect(nextFlow(flows, "z", null)).toBeNull();
  });
});
