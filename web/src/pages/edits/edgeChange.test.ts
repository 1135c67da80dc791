import { expect, it } from "vitest";
import { edgeChange } from "./edgeChange";

it.each([
  ["feeds", "add"],
  ["fedBy", "add"],
  ["removeEdge", "remove"],
  ["hideEdge", "hide"],
  ["showEdge", "show"],
] as const)("%s is sent as %s", (wanted, member) => {
  expect(edgeChange(wanted, "a", "b", "  why ")).toEqual({
    route: "edits/lineage",
    body: { [member]: [{ source: "a", target: "b" }], reason: "why" },
  });
});

it("sends no empty reason", () => {
  expect(edgeChange("feeds", "a", "b", " ").body).toEqual({ add: [{ source: "a", target: "b" }] });
});
