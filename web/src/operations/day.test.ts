import { expect, it } from "vitest";
import { dayOf, hoursOf } from "./day";

const NOW = Date.parse("2026-03-02T12:07:00Z");
const slot = (time: string, requests: number, p95: number | null, lag: number | null) => ({
  time,
  requests,
  p50_seconds: p95 === null ? null : p95 / 2,
  p95_seconds: p95,
  lag_events: lag,
  lag_seconds: null,
});

it("adds up requests, and keeps the worst of times and lags", () => {
  const day = dayOf(
    [
      slot("2026-03-02T12:00:00Z", 30, 0.1, 4),
      slot("2026-03-02T12:05:00Z", 15, 0.4, null),
      slot("2026-03-02T11:00:00Z", 60, null, 9),
    ],
    NOW,
  );
  expect(day.at).toHaveLength(96);
  expect(day.at.at(-1)).toBe("2026-03-02T12:00:00.000Z");
  expect(day.at[0]).toBe("2026-03-01T12:15:00.000Z");
  expect([day.rate.at(-1), day.p50.at(-1), day.p95.at(-1), day.lag.at(-1)]).toEqual([3, 0.2, 0.4, 4]);
  expect([day.rate.at(-5), day.p95.at(-5), day.lag.at(-5)]).toEqual([4, null, 9]);
  expect(day.rate.at(-2)).toBe(0);
  expect(day.rate.at(-6), "before the server was started nothing is known").toBeNull();
});

it("nothing is known of a day without slots", () => {
  expect(dayOf([], NOW).rate.every((value) => value === null)).toBe(true);
});

it("every hour of a day has its place", () => {
  const hours = hoursOf([{ at: "2026-03-02T11:00:00Z", events: 7, refused: null }], NOW);
  expect(hours.at).toHaveLength(24);
  expect(hours.at.at(-1)).toBe("2026-03-02T12:00:00.000Z");
  expect(hours.events.slice(-3)).toEqual([0, 7, 0]);
  expect(hours.refused.at(-2)).toBe(0);
});
