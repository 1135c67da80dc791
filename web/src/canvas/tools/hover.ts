import type { ColumnEdge, Picture } from "../records";
import { codeOf } from "../panel/sentence";

export interface Hovering {
  code: ReturnType<typeof codeOf>;
  from: string;
  to: string;
  sources: string;
  /** Datasets beside the one that is named, from which values come too. */
  others: number;
}

/** What is said of the column under the pointer: the step by which its values come, or null where none is known. Pure. */
export function hoverSentence(
  picture: Pick<Picture, "nodes" | "columns">,
  key: string,
  column: string,
): Hovering | null {
  const into = picture.columns.filter((edge) => edge.to === key && edge.to_column === column);
  const direct = into.filter((edge) => edge.type === "DIRECT");
  const shown = direct.length > 0 ? direct : into;
  const [first] = [...shown].sort((a, b) => Number(b.current) - Number(a.current));
  if (!first) return null;
  const own = shown.filter((edge) => edge.from === first.from);
  const title = (one: string) => picture.nodes.find((node) => node.key === one)?.title ?? "";
  return {
    code: codeOfEdge(first),
    from: title(first.from),
    to: title(key),
    sources: [...new Set(own.map((edge) => edge.from_column))].join(", "),
    others: new Set(shown.map((edge) => edge.from)).size - 1,
  };
}

function codeOfEdge(edge: ColumnEdge): Hovering["code"] {
  return codeOf(edge.masked && edge.type === "DIRECT" ? "masked" : edge.subtype.toLowerCase());
}
