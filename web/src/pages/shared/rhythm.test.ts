import { expect, it } from "vitest";
import { everyOf, rhythmOf } from "./rhythm";

const day = (count: number, hours = 3) => new Date(Date.UTC(2026, 0, count, hours)).toISOString();

it("a rhythm is the middle of the times between", () => {
  expect(rhythmOf([day(1), day(2), day(3), day(4), day(5)])).toBe(86_400_000);
  expect(rhythmOf([day(5), day(1), null, day(3), day(2)])).toBe(86_400_000); // one was left out
});

it("few moments, or moments without order, have no rhythm", () => {
  expect(rhythmOf([day(1), day(2), day(3)])).toBeNull();
  expect(rhythmOf([day(1, 0), day(1, 1), day(3), day(9), day(31)])).toBeNull();
  expect(rhythmOf(["nonsense", day(1), day(1), day(1), day(1)])).toBeNull();
});

it("is told in the unit that fits", () => {
  expect(everyOf(86_400_000)).toEqual({ unit: "day", count: 1 });
  expect(everyOf(90_000_000)).toEqual({ unit: "day", count: 1 });
  expect(everyOf(15 * 60_000)).toEqual({ unit: "minute", count: 15 });
  expect(everyOf(6 * 3_600_000)).toEqual({ unit: "hour", count: 6 });
  expect(everyOf(36 * 3_600_000)).toEqual({ unit: "hour", count: 36 });
  expect(everyOf(7 * 86_400_000)).toEqual({ unit: "week", count: 1 });
  expect(everyOf(2_000)).toEqual({ unit: "minute", count: 1 });
});
