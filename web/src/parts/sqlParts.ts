import sql from "highlight.js/lib/languages/sql";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({ sql });

export interface Span {
  /** Offsets into the text, in UTF-16 code units as JavaScript counts. */
  start: number;
  end: number;
  column?: string;
}

/** A stretch of SQL of one kind that is marked or not. */
export interface SqlPart {
  start: number;
  text: string;
  kind: string | null;
  marked: boolean;
}

type Node = { type: string; value?: string; children?: readonly unknown[]; properties?: { className?: unknown } };

/** Longer statements are shown plain: colouring them would take longer than a look. */
export const LONGEST = 200_000;

/** The statement in stretches of one colour, cut where a mark begins or ends. Their texts together are the statement. */
export function sqlParts(statement: string, spans: readonly Span[] = []): SqlPart[] {
  const coloured: { text: string; kind: string | null }[] = [];
  const walk = (node: Node, kind: string | null) => {
    if (node.type === "text") coloured.push({ text: node.value ?? "", kind });
    const names = Array.isArray(node.properties?.className) ? node.properties.className.map(String) : [];
    const own = names.find((name) => name.startsWith("hljs-"))?.slice(5) ?? kind;
    for (const child of node.children ?? []) walk(child as Node, own);
  };
  if (statement.length > LONGEST) coloured.push({ text: statement, kind: null });
  else walk(lowlight.highlight("sql", statement) as Node, null);
  return cutAt(coloured, spans);
}

function cutAt(coloured: readonly { text: string; kind: string | null }[], spans: readonly Span[]): SqlPart[] {
  const real = spans.filter((span) => span.end > span.start);
  const edges = [...new Set(real.flatMap((span) => [span.start, span.end]))].sort((a, b) => a - b);
  const found: SqlPart[] = [];
  let at = 0;
  for (const { text, kind } of coloured) {
    const end = at + text.length;
    const stops = [...edges.filter((edge) => edge > at && edge < end), end];
    let start = at;
    for (const stop of stops) {
      const from = start;
      const marked = real.some((span) => span.start <= from && span.end >= stop);
      if (stop > from) found.push({ start: from, text: text.slice(from - at, stop - at), kind, marked });
      start = stop;
    }
    at = end;
  }
  return found;
}
