import { expect, it } from "vitest";
import { type Hit, picksOf } from "./picking";

const hit = (kind: string, id: string, ...columns: string[]) =>
  ({
    kind,
    id,
    highlights: [{ field: "name", text: id }, ...columns.map((text) => ({ field: "column", text }))],
  }) as unknown as Hit;
const HITS = [hit("dataset", "dataset:a:t", "w", "x", "y", "z"), hit("job", "job:a:j"), hit("sql", "sql:00")];

it("offers what the search found, and columns beside the dataset that has them", () => {
  expect(picksOf(HITS, ["dataset", "column", "job"], 9).map(({ id }) => id)).toEqual([
    "dataset:a:t",
    "dataset:a:t#w",
    "dataset:a:t#x",
    "dataset:a:t#y",
    "job:a:j",
  ]);
});

it("offers columns alone where only a column will do, and none where columns will not do", () => {
  expect(picksOf(HITS, ["column"], 9).map(({ id }) => id)).toEqual(
    ["w", "x", "y", "z"].map((one) => `dataset:a:t#${one}`),
  );
  expect(picksOf(HITS, ["dataset", "job"], 9).map(({ id }) => id)).toEqual(["dataset:a:t", "job:a:j"]);
  expect(picksOf(HITS, ["column"], 2)).toHaveLength(2);
  expect(picksOf([hit("dataset", "d", "n".repeat(300))], ["column"], 9)).toEqual([]);
});
