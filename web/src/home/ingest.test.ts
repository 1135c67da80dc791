import { expect, it } from "vitest";
import { ingestOf } from "./ingest";

it("hours are summed, and what is not known counts as nothing", () => {
  const hours = [
    { at: "2026-01-01T00:00:00Z", events: 3, refused: null },
    { at: "2026-01-01T01:00:00Z", events: 4, refused: 2 },
    { at: "2026-01-01T02:00:00Z", events: 0, refused: 1 },
  ];
  expect(ingestOf(hours)).toEqual({ events: 7, refused: 3, newest: "2026-01-01T01:00:00Z" });
  expect(ingestOf([])).toEqual({ events: 0, refused: 0, newest: null });
});
