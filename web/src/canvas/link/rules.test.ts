import { describe, expect, it } from "vitest";
import { type End, mayBegin, refusalOf } from "./rules";

const RULES = [
  { downstream: "dataset", upstream: ["dataset", "job"] },
  { downstream: "dashboard", upstream: ["dataset", "chart"] },
  { downstream: "column", upstream: ["column"] },
];
const end = (kind: string, id = kind): End => ({ id, kind, title: id });

describe("the rules of edges by hand", () => {
  it("allow what the table has", () => {
    expect(refusalOf(RULES, end("job"), end("dataset"))).toBeNull();
    expect(refusalOf(RULES, end("column", "a#x"), end("column", "b#x"))).toBeNull();
  });

  it("say what would be allowed instead", () => {
    expect(refusalOf(RULES, end("job"), end("dashboard"))).toEqual({
      code: "kind",
      kind: "dashboard",
      allowed: ["dataset", "chart"],
    });
    expect(refusalOf(RULES, end("dataset"), end("run"))).toEqual({ code: "never", kind: "run" });
    expect(refusalOf(RULES, end("dataset"), end("dataset"))).toEqual({ code: "same" });
  });

  it("say what can feed anything at all", () => {
    expect(mayBegin(RULES, "chart")).toBe(true);
    expect(mayBegin(RULES, "dashboard")).toBe(false);
    expect(mayBegin([], "dataset")).toBe(false);
  });
});
