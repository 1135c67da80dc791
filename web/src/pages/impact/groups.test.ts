import { expect, it } from "vitest";
import { type Affected, groupsOf, kindOf, summaryOf } from "./groups";

const row = (id: string, more: Partial<Affected> = {}) =>
  ({
    id,
    kind: "dataset",
    namespace: "s3://lake",
    name: id,
    column: null,
    distance: 1,
    owners: [],
    dataset_type: null,
    ...more,
  }) as Affected;

it("groups by distance, the nearest first, and numbers are no texts", () => {
  const found = groupsOf(
    [row("a", { distance: 10 }), row("b", { distance: 2 }), row("c", { distance: 2 })],
    "distance",
  );
  expect(found.map(({ id, rows }) => [id, rows.map((one) => one.id)])).toEqual([
    ["2", ["b", "c"]],
    ["10", ["a"]],
  ]);
});

it("groups by owner; what has several is in each, what has none comes last", () => {
  const found = groupsOf([row("a"), row("b", { owners: ["zoe", "ann"] })], "owner");
  expect(found.map(({ id }) => id)).toEqual(["ann", "zoe", ""]);
});

it("groups by kind, dashboards first", () => {
  const rows = [
    row("a"),
    row("j", { kind: "job" }),
    row("d", { dataset_type: "DASHBOARD" }),
    row("v", { dataset_type: "VIEW" }),
  ];
  expect(rows.map(kindOf)).toEqual(["dataset", "job", "dashboard", "view"]);
  expect(groupsOf(rows, "kind").map(({ id }) => id)).toEqual(["dashboard", "dataset", "view", "job"]);
});

it("counts datasets of columns once", () => {
  const rows = [
    row("t#a", { kind: "column", name: "t", column: "a", owners: ["x"] }),
    row("t#b", { kind: "column", name: "t", column: "b", owners: ["x"], distance: 3 }),
  ];
  expect(summaryOf(rows)).toEqual({ datasets: 1, boards: 0, jobs: 0, columns: 2, owners: 1, farthest: 3 });
});
