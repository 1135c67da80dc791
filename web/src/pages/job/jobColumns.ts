import type { components } from "@/api";

type Edge = components["schemas"]["Edge"];

/** How a column gets into another one through a job, with where the statement says so. */
export interface JobColumn {
  key: string;
  from: string;
  fromTitle: string;
  fromColumn: string;
  to: string;
  toTitle: string;
  /** Empty: it decides over every row. */
  toColumn: string;
  isDirect: boolean;
  subtype: string;
  masked: boolean | null;
  expression: string | null;
  spans: { start: number; end: number; column: string }[];
}

/** Which pairs of what is read and what is written are asked about: all, up to so many. */
export function pairsOf(
  inputs: readonly string[],
  outputs: readonly string[],
  most: number,
): { pairs: { from: string; to: string }[]; left: number } {
  const all = outputs.flatMap((to) => inputs.filter((from) => from !== to).map((from) => ({ from, to })));
  return { pairs: all.slice(0, most), left: Math.max(0, all.length - most) };
}

/** Columns of several edges, by where they lead: direct ones first, in the order of the target's columns. */
export function jobColumns(edges: readonly Edge[], job: string): JobColumn[] {
  const found = new Map<string, JobColumn>();
  for (const edge of edges) {
    const spans = edge.jobs.find((one) => one.job.id === job)?.sql?.spans ?? [];
    for (const column of edge.columns) {
      const key = [edge.from.id, column.from_column, edge.to.id, column.to_column, column.type, column.subtype].join(
        "\n",
      );
      if (found.has(key)) continue;
      found.set(key, {
        key,
        from: edge.from.id,
        fromTitle: edge.from.title,
        fromColumn: column.from_column,
        to: edge.to.id,
        toTitle: edge.to.title,
        toColumn: column.to_column,
        isDirect: column.type === "DIRECT",
        subtype: column.subtype,
        masked: column.masked,
        expression: column.expression,
        spans: spans.filter((span) => span.column === column.to_column),
      });
    }
  }
  return [...found.values()].sort(
    (a, b) =>
      Number(b.isDirect) - Number(a.isDirect) ||
      a.to.localeCompare(b.to) ||
      a.toColumn.localeCompare(b.toColumn) ||
      a.fromColumn.localeCompare(b.fromColumn),
  );
}
