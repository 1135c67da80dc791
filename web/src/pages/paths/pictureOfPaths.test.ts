import { expect, it } from "vitest";
import type { PathsAnswer } from "../shared/Way";
import { pictureOfPaths } from "./pictureOfPaths";

it("has each thing once, columns in their datasets, and the ways between them", () => {
  const [a, b, c] = ["dataset:s3://x:a#id", "dataset:s3://x:b#id", "dataset:s3://x:b#key"] as [string, string, string];
  const end = "dataset:s3://x:c#id";
  const how = (subtype: string) => [{ type: "DIRECT", subtype, masking: false }];
  const picture = pictureOfPaths({
    paths: [
      {
        nodes: [a, b, end],
        keys: [],
        edges: [
          { from: a, to: b, transformations: how("IDENTITY") },
          { from: b, to: end },
        ],
      },
      { nodes: [a, c, end], keys: [], edges: [{ from: a, to: c, transformations: how("AGGREGATION"), masked: true }] },
    ],
  } as unknown as PathsAnswer);
  expect(picture.nodes.map(({ title, columns }) => [title, columns.map(({ name }) => name)])).toEqual([
    ["a", ["id"]],
    ["b", ["id", "key"]],
    ["c", ["id"]],
  ]);
  expect(picture.flows).toHaveLength(2);
  expect(picture.columns.map(({ subtype, masked }) => [subtype, masked])).toEqual([
    ["IDENTITY", null],
    ["AGGREGATION", true],
  ]);
  expect(picture.start).toBe("dataset:s3://x:a");
});

it("of jobs has cards for jobs", () => {
  const nodes = ["dataset:s3://x:a", "job:etl:load", "dataset:s3://x:b"];
  const picture = pictureOfPaths({ paths: [{ nodes, keys: [] }] } as unknown as PathsAnswer);
  expect(picture.nodes.map(({ kind }) => kind)).toEqual(["dataset", "job", "dataset"]);
});
