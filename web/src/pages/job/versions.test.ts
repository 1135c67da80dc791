import { describe, expect, it } from "vitest";
import { sqlDifference, versionLines } from "./versions";

const version = (inputs: string[], outputs: string[]) => ({
  id: "v",
  kind: null,
  first_seen: null,
  last_seen: null,
  inputs,
  outputs,
  sql: null,
});

it("a version differs by what it reads and writes", () => {
  expect(versionLines(version(["a", "b"], ["x"]), version(["a"], ["y"]))).toEqual([
    { change: "added", role: "reads", dataset: "b" },
    { change: "added", role: "writes", dataset: "x" },
    { change: "removed", role: "writes", dataset: "y" },
  ]);
  expect(versionLines(version(["a"], []), undefined)).toEqual([]);
});

describe("two statements", () => {
  it("differ by lines; what both have stays between", () => {
    const lines = sqlDifference("SELECT a\nFROM t\nWHERE x", "SELECT a, b\nFROM t\nWHERE x\nORDER BY a");
    expect(lines).toEqual([
      { change: "removed", text: "SELECT a" },
      { change: "added", text: "SELECT a, b" },
      { change: "same", text: "FROM t" },
      { change: "same", text: "WHERE x" },
      { change: "added", text: "ORDER BY a" },
    ]);
  });

  it("that are the same have no difference, and very long ones are not compared line by line", () => {
    expect(sqlDifference("a\nb", "a\nb").every(({ change }) => change === "same")).toBe(true);
    const long = Array.from({ length: 700 }, (_, line) => `line ${line}`).join("\n");
    expect(sqlDifference(long, "a").filter(({ change }) => change === "removed")).toHaveLength(700);
  });
});
