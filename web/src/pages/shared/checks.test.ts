import { expect, it } from "vitest";
import { checksOf, measuredOf } from "./checks";

it("checks that failed come first, and what is no check is left out", () => {
  const checks = checksOf([
    { name: "not_null", column: "id", success: true },
    null,
    "text",
    { name: "unique", success: false, run: "r1" },
    { success: null },
  ]);
  expect(checks.map(({ name, success }) => [name, success])).toEqual([
    ["unique", false],
    ["?", null],
    ["not_null", true],
  ]);
});

it("measures are read where they are numbers", () => {
  expect(measuredOf(null)).toBeNull();
  expect(measuredOf({ rows: 5, bytes: "7", columns: { id: { nullCount: 0, min: 1, max: 9 } } })).toEqual({
    rows: 5,
    bytes: null,
    run: null,
    columns: [{ name: "id", nulls: 0, distinct: null, least: "1", most: "9" }],
  });
});
