import type { ColumnEdge } from "../records";
import { columnId, flowId, type Picked } from "./pick";

/** What is drawn in full colour while something is selected; the rest is dimmed. */
export interface Lit {
  nodes: ReadonlySet<string>;
  /** Ids of flows. */
  flows: ReadonlySet<string>;
  /** Ids of columns. */
  columns: ReadonlySet<string>;
  /** Ids of edges between columns. */
  edges: ReadonlySet<string>;
}

/** The part of a picture that says what leads where. */
export interface Ways {
  flows: readonly { from: string; to: string }[];
  columns: readonly ColumnEdge[];
}

export function edgeId(edge: Pick<ColumnEdge, "from" | "from_column" | "to" | "to_column">): string {
  return `${columnId(edge.from, edge.from_column)}>${columnId(edge.to, edge.to_column)}`;
}

/** All that lies on the ways to and from what is picked, and nothing that is not in the picture. */
export function litOf(picture: Ways, pick: Picked): Lit {
  if (pick.kind === "node") return litByFlows(picture, [pick.key]);
  if (pick.kind === "flow")
    return {
      nodes: new Set([pick.from, pick.to]),
      flows: new Set([flowId(pick.from, pick.to)]),
      columns: new Set(),
      edges: new Set(),
    };
  if (pick.kind === "edge") {
    const ends = [columnId(pick.from, pick.fromColumn), columnId(pick.to, pick.toColumn)] as const;
    return {
      nodes: new Set([pick.from, pick.to]),
      flows: new Set([flowId(pick.from, pick.to)]),
      columns: new Set(ends),
      edges: new Set([ends.join(">")]),
    };
  }
  return litByColumns(picture.columns, pick.key, pick.column);
}

function litByFlows({ flows }: Ways, starts: readonly string[]): Lit {
  const nodes = new Set(starts);
  const found = new Set<string>();
  for (const [near, far] of [
    ["from", "to"],
    ["to", "from"],
  ] as const) {
    const next = new Map<string, { from: string; to: string }[]>();
    for (const flow of flows) {
      const listed = next.get(flow[near]);
      if (listed) listed.push(flow);
      else next.set(flow[near], [flow]);
    }
    const seen = new Set(starts);
    const waiting = [...starts];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const flow of next.get(at) ?? []) {
        found.add(flowId(flow.from, flow.to));
        nodes.add(flow[far]);
        if (!seen.has(flow[far])) {
          seen.add(flow[far]);
          waiting.push(flow[far]);
        }
      }
  }
  return { nodes, flows: found, columns: new Set(), edges: new Set() };
}

/** The path of one column. A column that decides over every row leads to the dataset, and no further. */
export function litByColumns(all: readonly ColumnEdge[], key: string, column: string): Lit {
  const start = columnId(key, column);
  const [columns, edges] = [new Set([start]), new Set<string>()];
  const [nodes, flows] = [new Set([key]), new Set<string>()];
  const ends = (edge: ColumnEdge) =>
    ({ up: columnId(edge.from, edge.from_column), down: columnId(edge.to, edge.to_column) }) as const;
  for (const [near, far] of [
    ["up", "down"],
    ["down", "up"],
  ] as const) {
    const next = new Map<string, ColumnEdge[]>();
    for (const edge of all) {
      const at = ends(edge)[near];
      const listed = next.get(at);
      if (listed) listed.push(edge);
      else next.set(at, [edge]);
    }
    const seen = new Set([start]);
    const waiting = [start];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const edge of next.get(at) ?? []) {
        const reached = ends(edge)[far];
        edges.add(edgeId(edge));
        flows.add(flowId(edge.from, edge.to));
        nodes.add(edge.from).add(edge.to);
        columns.add(reached);
        if (!seen.has(reached) && (far === "up" || edge.to_column)) {
          seen.add(reached);
          waiting.push(reached);
        }
      }
  }
  return { nodes, flows, columns, edges };
}
