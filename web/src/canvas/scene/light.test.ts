import { describe, expect, it } from "vitest";
import type { ColumnEdge } from "../records";
import { litOf } from "./light";
import { printPick, readPick, type Picked } from "./pick";

const flow = (from: string, to: string) => ({ from, to });
function edge(text: string, type: ColumnEdge["type"] = "DIRECT"): ColumnEdge {
  const [[from = "", from_column = ""] = [], [to = "", to_column = ""] = []] = text
    .split(">")
    .map((one) => one.split("."));
  return {
    from,
    from_column,
    to,
    to_column,
    type,
    subtype: "IDENTITY",
    masked: false,
    via: [],
    current: true,
    change: null,
  };
}

describe("lighting", () => {
  const flows = [flow("a", "b"), flow("b", "c"), flow("x", "c"), flow("b", "y")];

  it("a node lights what is before and after it, not what is beside it", () => {
    const lit = litOf({ flows, columns: [] }, { kind: "node", key: "c" });
    expect([...lit.nodes].sort()).toEqual(["a", "b", "c", "x"]);
    expect([...lit.flows].sort()).toEqual(["a>b", "b>c", "x>c"]);
  });

  it("goes round a cycle once", () => {
    const lit = litOf({ flows: [flow("a", "b"), flow("b", "a")], columns: [] }, { kind: "node", key: "a" });
    expect([...lit.flows].sort()).toEqual(["a>b", "b>a"]);
  });

  it("a column lights its own path, and no other column of the same datasets", () => {
    const columns = [edge("a.id>b.id"), edge("b.id>c.key"), edge("b.other>c.other"), edge("c.key>d.key")];
    const lit = litOf({ flows, columns }, { kind: "column", key: "b", column: "id" });
    expect([...lit.columns].sort()).toEqual(["a#id", "b#id", "c#key", "d#key"]);
    expect([...lit.nodes].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("a column that decides over every row leads to the dataset, and not to its columns", () => {
    const columns = [edge("a.day>b.", "INDIRECT"), edge("b.id>c.id")];
    const lit = litOf({ flows, columns }, { kind: "column", key: "a", column: "day" });
    expect([...lit.nodes].sort()).toEqual(["a", "b"]);
  });
});

describe("what is picked", () => {
  const all: Picked[] = [
    { kind: "node", key: "dataset@1" },
    { kind: "column", key: "dataset@1", column: "a > b # c + d" },
    { kind: "flow", from: "dataset@1", to: "dataset@2" },
    { kind: "edge", from: "dataset@1", fromColumn: "x#y", to: "dataset@2", toColumn: "" },
  ];

  it.each(all)("is read from the address as it was written: $kind", (picked) => {
    expect(readPick(printPick(picked))).toEqual(picked);
  });

  it("is nothing where the address is nonsense", () => {
    for (const text of ["", ">", "#", "%", ">x"]) expect(readPick(text)?.kind).not.toBe("flow");
    expect(readPick("a#%E0%A4%A")).toEqual({ kind: "column", key: "a", column: "%E0%A4%A" });
  });
});
