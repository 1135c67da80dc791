import { describe, expect, it } from "vitest";
import type { PictureFlow, PictureNode } from "../records";
import { between, grouped, schemaOf } from "./group";

const node = (key: string, namespace: string, name: string, kind = "dataset") =>
  ({ key, namespace, name, kind, title: name, rest: "", storage: null }) as unknown as PictureNode;
const flow = (from: string, to: string) => ({ from, to }) as PictureFlow;

const NODES = [
  node("a", "postgres://db", "shop.public.orders"),
  node("b", "postgres://db", "shop.public.items"),
  node("c", "postgres://db", "shop.stage.orders"),
  node("d", "s3://lake", "clean/orders"),
];

describe("grouping", () => {
  it("by location folds two or more datasets of one place, never the start", () => {
    const found = grouped(NODES, "location", "c", new Set());
    expect(found.groups.map(({ title, members }) => [title, members.map(({ key }) => key)])).toEqual([
      ["db", ["a", "b"]],
    ]);
    expect(found.nodes.map(({ key }) => key)).toEqual(["c", "d"]);
  });

  it("by schema tells schemas of one place apart", () => {
    const found = grouped(NODES, "schema", "d", new Set());
    expect(found.groups.map(({ title }) => title)).toEqual(["shop.public"]);
    expect(found.itemOf("a")).toBe(found.itemOf("b"));
    expect(found.itemOf("c")).toBe("c");
  });

  it("leaves out what is unfolded, and jobs", () => {
    const folded = grouped(NODES, "location", "d", new Set());
    const open = grouped(NODES, "location", "d", new Set([folded.groups[0]?.id ?? ""]));
    expect(open.groups).toEqual([]);
    expect(open.nodes).toHaveLength(4);
    const jobs = [node("x", "spark", "one", "job"), node("y", "spark", "two", "job")];
    expect(grouped(jobs, "location", "d", new Set()).groups).toEqual([]);
  });

  it("keeps one line between two items, and none inside a group; a line of a card to itself stays", () => {
    const itemOf = (key: string) => (key === "a" || key === "b" ? "g" : key);
    const found = between([flow("a", "b"), flow("a", "d"), flow("b", "d"), flow("d", "d")], itemOf);
    expect(found.map(({ from, to, flows }) => [from, to, flows.length])).toEqual([
      ["g", "d", 2],
      ["d", "d", 1],
    ]);
  });

  it("a schema is what stands before the last part, with slashes or dots", () => {
    expect(schemaOf("shop.public.orders")).toBe("shop.public");
    expect(schemaOf("/srv/lake.v2/orders")).toBe("/srv/lake.v2");
    expect(schemaOf("orders")).toBe("");
  });
});
