import { describe, expect, it } from "vitest";
import { attributesOf, type Branch, type Details, formulaOf, groupsOf, lineageOf, topOf } from "./assets";

const branch = (kind: string, name: string): Branch => ({ id: name, kind, name, children: [], hidden: 0 });
const ref = (kind: string, id: string) => ({ id, kind, name: id });
const link = (edge: string, direction: "in" | "out", to: ReturnType<typeof ref>) => ({
  edge,
  direction,
  to,
  attributes: {},
});
const METRIC: Details = {
  id: "metric:m",
  kind: "AtomicMetric",
  name: "m",
  truncated: false,
  attributes: {
    calculationFormula: "sum(amount)",
    unit: "EUR",
    unresolvedColumns: [7, "8"],
    properties: { owner: "ann", level: 3 },
    createdAt: "2026-01-01T00:00:00Z",
    description: "",
  },
  edges: [
    link("OWNS_METRIC", "in", ref("Tenant", "tenant")),
    link("FILTERS_BY", "out", ref("Column", "t#b")),
    link("DERIVED_FROM", "in", ref("DerivedMetric", "d")),
    link("MEASURES", "out", ref("Column", "t#a")),
    link("MEASURES", "out", ref("Column", "t#c")),
  ],
};

describe("what is below the tenant", () => {
  it("has a branch for each kind of term, and the catalogs as they are", () => {
    const { places, groups } = topOf([branch("Tag", "pii"), branch("Catalog", "hive"), branch("Tag", "gold")]);
    expect(places.map(({ name }) => name)).toEqual(["hive"]);
    expect(groups).toEqual([{ kind: "Tag", children: [branch("Tag", "pii"), branch("Tag", "gold")] }]);
  });
});

describe("a metric", () => {
  it("is told with its formula, and the columns that it measures and filters by", () => {
    const found = formulaOf(METRIC);
    expect(found?.text).toBe("sum(amount)");
    expect(found?.measures.map(({ id }) => id)).toEqual(["t#a", "t#c"]);
    expect(found?.filters.map(({ id }) => id)).toEqual(["t#b"]);
    expect(found?.unresolved).toEqual(["7", "8"]);
    expect(found?.parents).toEqual([]);
    expect(formulaOf({ ...METRIC, kind: "Table" })).toBeNull();
  });
  it("has its edges by kind, what it needs first, and not its tenant", () => {
    expect(groupsOf(METRIC.edges).map(({ edge, direction, links }) => [edge, direction, links.length])).toEqual([
      ["FILTERS_BY", "out", 1],
      ["MEASURES", "out", 2],
      ["DERIVED_FROM", "in", 1],
    ]);
  });
  it("has its other values as text", () => {
    expect(attributesOf(METRIC)).toEqual([
      ["unit", "EUR"],
      ["owner", "ann"],
      ["level", "3"],
    ]);
  });
});

it("tables and columns lead to their lineage", () => {
  expect(lineageOf(ref("Table", "s3://x:t"))).toEqual({ to: "/dataset", id: "dataset:s3://x:t" });
  expect(lineageOf(ref("Column", "s3://x:t#c"))?.to).toBe("/column");
  expect(lineageOf(ref("Unit", "u"))).toBeNull();
});
