import { describe, expect, it } from "vitest";
import type { RunItem } from "../shared/records";
import { changeOf, waterfallOf } from "./waterfall";

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
const item = (key: string, from: number | null, to: number | null, status: RunItem["status"] = "SUCCEEDED") =>
  ({
    key,
    status,
    started_at: from === null ? null : at(from),
    ended_at: to === null ? null : at(to),
    first_seen: null,
    position: null,
  }) as RunItem;

describe("a waterfall", () => {
  it("puts parts along the time of the whole, in the order in which they began", () => {
    const found = waterfallOf(item("run", 0, 40), [item("b", 20, 40), item("a", 10, 20), item("c", null, null)], 0);
    expect(found?.rows.map(({ item: { key }, left, width }) => [key, left, width])).toEqual([
      ["a", 0.25, 0.25],
      ["b", 0.5, 0.5],
      ["c", null, 0],
    ]);
  });

  it("of a run that goes on reaches to now, and so do its parts that go on", () => {
    const found = waterfallOf(item("run", 0, null, "STARTED"), [item("a", 10, null, "STARTED")], Date.parse(at(50)));
    expect(found?.rows[0]).toMatchObject({ left: 0.2, width: 0.8, ended: false });
  });

  it("takes in parts that lie outside of what the run itself says, and ends that come before beginnings", () => {
    const found = waterfallOf(item("run", 20, 30), [item("a", 0, 40), item("b", 20, 10)], 0);
    expect(found?.rows[0]).toMatchObject({ left: 0, width: 1 });
    expect(found?.rows[1]?.width).toBe(0);
  });

  it("is nothing where no time is known", () => {
    expect(waterfallOf(item("run", null, null), [item("a", null, null)], 0)).toBeNull();
  });
});

it("a change is a share of what was before", () => {
  expect(changeOf(120, 100)).toBeCloseTo(0.2);
  expect(changeOf(0, 100)).toBe(-1);
  expect(changeOf(5, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(changeOf(0, 0)).toBe(0);
  expect(changeOf(null, 5)).toBeNull();
});
