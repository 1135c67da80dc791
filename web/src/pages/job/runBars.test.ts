import { expect, it } from "vitest";
import type { RunItem } from "../shared/records";
import { runBars, usualDuration } from "./runBars";

const run = (day: number, duration_ms: number | null, status: RunItem["status"] = "SUCCEEDED") =>
  ({
    key: `run:${day}`,
    started_at: `2026-01-${String(day).padStart(2, "0")}T00:00:00Z`,
    duration_ms,
    status,
  }) as RunItem;

it("bars are in the order of time, the longest fills the height", () => {
  const { bars, most } = runBars([run(3, 400), run(1, 100), run(2, 200)]);
  expect(most).toBe(400);
  expect(bars.map(({ height }) => height)).toEqual([0.25, 0.5, 1]);
});

it("one run of a day among runs of a minute does not press them to the ground", () => {
  const { bars, most } = runBars([
    ...Array.from({ length: 20 }, (_, day) => run(day + 1, 60_000)),
    run(28, 86_400_000),
  ]);
  expect(most).toBe(240_000);
  expect(bars[0]?.height).toBe(0.25);
  expect(bars.at(-1)?.height).toBe(1);
});

it("a run whose duration is not known, or that took no time, is still a bar", () => {
  const { bars } = runBars([run(1, null, "STARTED"), run(2, 0), run(3, 1000)]);
  expect(bars.map(({ known }) => known)).toEqual([false, true, true]);
  expect(bars[1]?.height).toBeGreaterThan(0);
  expect(runBars([]).bars).toEqual([]);
});

it("the usual duration is that of runs that succeeded", () => {
  expect(usualDuration([run(1, 10), run(2, 30), run(3, 20), run(4, 9999, "FAILED")])).toBe(20);
  expect(usualDuration([])).toBeNull();
});
