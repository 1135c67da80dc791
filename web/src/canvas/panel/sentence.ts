import type { Edge } from "../records";

export const CODES = [
  "identity",
  "transformation",
  "aggregation",
  "masked",
  "filter",
  "join",
  "group_by",
  "sort",
  "window",
  "conditional",
  "copy",
  "table_only",
  "unknown",
] as const;
export type Code = (typeof CODES)[number];

export interface Sentence {
  /** `one`: of a column; `all`: of two datasets. */
  scope: "one" | "all";
  code: Code;
  values: {
    from: string;
    to: string;
    column: string;
    sources: string;
    expression: string;
    columns: number;
    job: string;
  };
}

/** What the sentence about an edge is made of; its words are in `canvas.explain`, by scope and code. */
export function sentenceOf(edge: Pick<Edge, "from" | "to" | "explanation">): Sentence {
  const { code, arguments: given } = edge.explanation;
  const text = (name: string) => (typeof given[name] === "string" ? (given[name] as string) : "");
  const count = given["columns"];
  const known = codeOf(code);
  const isOne = "column" in given && "sources" in given && "subtype" in given;
  return {
    scope: isOne ? "one" : "all",
    code: known,
    values: {
      from: edge.from.title,
      to: edge.to.title,
      column: text("column"),
      sources: text("sources"),
      expression: text("expression"),
      columns: typeof count === "number" ? count : 0,
      job: text("job"),
    },
  };
}

export function codeOf(code: string): Code {
  return CODES.find((one) => one === code) ?? "unknown";
}
