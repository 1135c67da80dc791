import { expect, it } from "vitest";
import { cutEnd } from "./format";
import { marks, markText, roomFor } from "./scale";

it("prints marks of a small step so that they differ", () => {
  const lines = marks(0.09);
  expect(lines.map((line) => markText(line, lines[1] ?? 1, "en"))).toEqual(["0", "0.05", "0.1"]);
  expect(markText(1500, 500, "en")).toBe("1.5K");
});

it("has room for the longest text beside the lines, within limits", () => {
  expect(roomFor(["0 ms", "500 ms"])).toBeGreaterThanOrEqual(50);
  expect(roomFor(["0", "1"])).toBe(36);
  expect(roomFor(["x".repeat(400)])).toBe(120);
});

it("keeps the beginning of a message, whole letters only", () => {
  expect(cutEnd("A column `price` cannot be resolved. Did you mean", 24)).toBe("A column `price` cannot…");
  expect(cutEnd("short", 24)).toBe("short");
  expect(cutEnd("😀😀😀😀", 3)).toBe("😀😀…");
  expect(cutEnd("x".repeat(100_000), 10)).toHaveLength(10);
});
