import { expect, it } from "vitest";
import type { Picture } from "@/canvas/records";
import { changedIn } from "./changed";

it("lists what went, changed and came, with the columns of changed flows and schemas", () => {
  const node = (key: string, change: string | null, columns: object[] = []) => ({ key, title: key, change, columns });
  const picture = {
    nodes: [
      node("a", null),
      node("b", "added"),
      node("c", "removed"),
      node("d", "changed", [
        { name: "x", change: "added" },
        { name: "y", change: null },
      ]),
    ],
    flows: [
      { from: "a", to: "b", change: "added" },
      { from: "a", to: "d", change: "changed" },
      { from: "c", to: "a", change: "removed" },
      { from: "d", to: "a", change: null },
      { from: "a", to: "elsewhere", change: "added" },
    ],
    columns: [
      { from: "a", to: "d", from_column: "1", to_column: "x", change: "added" },
      { from: "a", to: "d", from_column: "2", to_column: "y", change: null },
    ],
  } as unknown as Picture;
  const found = changedIn(picture);
  expect(found.nodes.map(({ change, node: { key } }) => [change, key])).toEqual([
    ["removed", "c"],
    ["added", "b"],
  ]);
  expect(found.flows.map(({ change, columns }) => [change, columns.length])).toEqual([
    ["removed", 0],
    ["changed", 1],
    ["added", 0],
  ]);
  expect(found.schemas.map(({ node: { key }, columns }) => [key, columns.length])).toEqual([["d", 1]]);
});
