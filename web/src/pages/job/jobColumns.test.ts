import { expect, it } from "vitest";
import { jobColumns, pairsOf } from "./jobColumns";

it("pairs are those of every input with every output, without itself, and what is left is counted", () => {
  expect(pairsOf(["a", "b"], ["b", "c"], 10)).toEqual({
    pairs: [
      { from: "a", to: "b" },
      { from: "a", to: "c" },
      { from: "b", to: "c" },
    ],
    left: 0,
  });
  expect(pairsOf(["a", "b"], ["b", "c"], 2).left).toBe(1);
});

it("columns carry the stretches of the statement that belong to their target", () => {
  const ref = (id: string) => ({ id, key: id, kind: "dataset" as const, namespace: "n", name: id, title: id });
  const column = (from_column: string, to_column: string, type: "DIRECT" | "INDIRECT") => ({
    from_column,
    to_column,
    type,
    subtype: type === "DIRECT" ? "IDENTITY" : "FILTER",
    masked: null,
    expression: null,
    origin: "sql" as const,
    stated: null,
    via: null,
    current: true,
  });
  const edge = {
    from: ref("orders"),
    to: ref("daily"),
    columns: [
      column("status", "", "INDIRECT"),
      column("amount", "total", "DIRECT"),
      column("amount", "total", "DIRECT"),
    ],
    jobs: [{ job: ref("job:one"), sql: { spans: [{ start: 7, end: 18, column: "total" }] } }],
  } as unknown as Parameters<typeof jobColumns>[0][number];
  const found = jobColumns([edge], "job:one");
  expect(found.map(({ fromColumn, toColumn }) => [fromColumn, toColumn])).toEqual([
    ["amount", "total"],
    ["status", ""],
  ]);
  expect(found[0]?.spans).toEqual([{ start: 7, end: 18, column: "total" }]);
  expect(found[1]?.spans).toEqual([]);
});
