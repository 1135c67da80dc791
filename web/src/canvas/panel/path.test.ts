import { describe, expect, it } from "vitest";
import { type ColumnLineage, valuePath } from "./path";

const column = (id: string, depth: number, masked = false) => ({
  id,
  kind: "column",
  dataset: id.split("#")[0],
  depth,
  masked,
});
const edge = (from: string, to: string, subtype: string, type = "DIRECT") => ({
  from,
  to,
  kind: "COLUMN",
  transformations: [{ type, subtype, masking: false }],
});
const answer = (up: { nodes: object[]; edges: object[] }, down = { nodes: [] as object[], edges: [] as object[] }) =>
  ({ start: "t#x", upstream: up, downstream: down }) as unknown as ColumnLineage;

describe("the way of a column's values", () => {
  it("begins at the farthest columns by which values come; filters only decide", () => {
    const path = valuePath(
      answer({
        nodes: [column("t#x", 0), column("s#a", 1), column("r#a", 2), column("s#day", 1)],
        edges: [
          edge("s#a", "t#x", "AGGREGATION"),
          edge("r#a", "s#a", "IDENTITY"),
          edge("s#day", "t#x", "FILTER", "INDIRECT"),
        ],
      }),
    );
    expect(path.sources).toEqual(["r#a"]);
    expect(path.deciding).toEqual(["s#day"]);
    expect(path.length).toBe(2);
    expect([...path.subtypes].sort()).toEqual(["AGGREGATION", "IDENTITY"]);
    expect(path.up.map(({ from }) => from)).toEqual(["r#a", "s#a"]);
    expect(path.upDeciding.map(({ from }) => from)).toEqual(["s#day"]);
  });

  it("is masked only if every source is", () => {
    const nodes = [column("t#x", 0), column("a#1", 1, true), column("b#1", 1)];
    const edges = [edge("a#1", "t#x", "TRANSFORMATION"), edge("b#1", "t#x", "IDENTITY")];
    expect(valuePath(answer({ nodes, edges })).masked).toBe(false);
    expect(valuePath(answer({ nodes: nodes.slice(0, 2), edges: edges.slice(0, 1) })).masked).toBe(true);
  });

  it("of a column that nothing feeds has no source; what it reaches is counted", () => {
    const down = {
      nodes: [column("t#x", 0), column("u#1", 1), column("u#2", 1)],
      edges: [edge("t#x", "u#1", "IDENTITY")],
    };
    const path = valuePath(answer({ nodes: [column("t#x", 0)], edges: [] }, down));
    expect(path).toMatchObject({ sources: [], length: 0, masked: false, reached: 2, datasets: 1 });
  });
});
