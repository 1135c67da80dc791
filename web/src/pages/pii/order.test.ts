import { expect, it } from "vitest";
import { type Affected, arrivalOf, byRisk, tagsInOrder } from "./order";

const row = (id: string, more: Partial<Affected> = {}) =>
  ({ id, masked: null, masking_unknown: false, is_end: false, distance: 1, ...more }) as Affected;

it("bare end points come first, then what is bare on the way, unknown, masked, and only used to decide", () => {
  const rows = [
    row("filter"),
    row("masked", { masked: true, is_end: true }),
    row("unknown", { masking_unknown: true }),
    row("bare-on-the-way", { masked: false }),
    row("bare-end-far", { masked: false, is_end: true, distance: 3 }),
    row("bare-end", { masked: false, is_end: true }),
  ];
  expect(byRisk(rows).flatMap((part) => part.rows.map(({ id }) => id))).toEqual([
    "bare-end",
    "bare-end-far",
    "bare-on-the-way",
    "unknown",
    "masked",
    "filter",
  ]);
  expect(arrivalOf(row("x"))).toBe("decides");
});

it("tags that speak of persons come first", () => {
  const tag = (name: string, columns: number) => ({ tag: name, key: name, datasets: 0, columns, jobs: 0 });
  expect(tagsInOrder([tag("gold", 9), tag("PII=email", 1), tag("gdpr", 3)]).map((one) => one.tag)).toEqual([
    "gdpr",
    "PII=email",
    "gold",
  ]);
});
