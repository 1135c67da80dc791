import { expect, it } from "vitest";
import { kindOf } from "./kind";

it.each([
  [{}, "dataset"],
  [{ datasetType: { datasetType: "CHART" } }, "chart"],
  [{ datasetType: { datasetType: "Tableau Dashboard" } }, "dashboard"],
  [{ datasetType: { datasetType: 7 } }, "dataset"],
] as const)("%j is a %s", (facets, kind) => {
  expect(kindOf({ facets })).toBe(kind);
});
