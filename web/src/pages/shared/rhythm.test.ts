import { expect, it } from "vitest";
import { everyOf } from "./rhythm";

it("a rhythm is told in the unit that fits", () => {
  expect(everyOf(86_400_000)).toEqual({ unit: "day", count: 1 });
  expect(everyOf(90_000_000)).toEqual({ unit: "day", count: 1 });
  expect(everyOf(15 * 60_000)).toEqual({ unit: "minute", count: 15 });
  expect(everyOf(6 * 3_600_000)).toEqual({ unit: "hour", count: 6 });
  expect(everyOf(36 * 3_600_000)).toEqual({ unit: "hour", count: 36 });
  expect(everyOf(7 * 86_400_000)).toEqual({ unit: "week", count: 1 });
  expect(everyOf(2_000)).toEqual({ unit: "minute", count: 1 });
});
