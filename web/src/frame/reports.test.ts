import { expect, it } from "vitest";
import { Reports } from "./reports";

it("takes times and errors out once", () => {
  const reports = new Reports();
  expect(reports.take()).toBeNull();
  reports.time("layout", 8.4567, 31);
  reports.time("load", 900);
  reports.error("thrown", "no", "/lineage");
  expect(reports.take()).toEqual({
    times: [
      { kind: "layout", ms: 8.5, nodes: 31 },
      { kind: "load", ms: 900 },
    ],
    errors: [{ kind: "thrown", message: "no", page: "/lineage" }],
  });
  expect(reports.take()).toBeNull();
});

it("never tells more than the server takes", () => {
  const reports = new Reports();
  for (let count = 0; count < 500; count += 1) {
    reports.time("frame", count);
    reports.error("thrown", "x".repeat(5000), "/".repeat(500));
  }
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9]) reports.time("load", wrong);
  const taken = reports.take();
  expect(taken?.times).toHaveLength(100);
  expect(taken?.errors).toHaveLength(10);
  expect(taken?.errors[0]?.message).toHaveLength(2000);
  expect(taken?.errors[0]?.page).toHaveLength(200);
  reports.error("thrown", "again", "/");
  expect(reports.take(), "a page in a loop is heard of a hundred times and no more").toBeNull();
});
