import { expect, it } from "vitest";
import { type DatasetDay, filledDays } from "./days";

const day = (text: string, reads = 1): DatasetDay => ({
  day: text,
  reads,
  writes: 0,
  failures: 0,
  rows_read: 5,
  rows_written: null,
  bytes_read: null,
  bytes_written: null,
});

it("days without anything are put in, and the oldest are left out beyond the most", () => {
  const found = filledDays([day("2026-02-27"), day("2026-03-02", 4)], 10);
  expect(found.map((one) => [one.day, one.reads])).toEqual([
    ["2026-02-27", 1],
    ["2026-02-28", 0],
    ["2026-03-01", 0],
    ["2026-03-02", 4],
  ]);
  expect(found[1]?.rows_read).toBeNull();
  expect(filledDays([day("2020-01-01"), day("2026-03-02")], 3).map((one) => one.day)).toEqual([
    "2026-02-28",
    "2026-03-01",
    "2026-03-02",
  ]);
  expect(filledDays([], 3)).toEqual([]);
});
