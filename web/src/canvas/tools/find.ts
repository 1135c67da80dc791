import type { PictureNode } from "../records";

export interface Found {
  key: string;
  title: string;
  rest: string;
  column: string | null;
}

const MOST = 200;

/** Cards whose title or name has every typed word, best first; then columns that have them. Pure. */
export function found(nodes: readonly PictureNode[], typed: string): Found[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const [first = ""] = words;
  const rank = (title: string) =>
    title.toLowerCase().startsWith(first) ? 0 : title.toLowerCase().includes(first) ? 1 : 2;
  const cards = nodes
    .filter((node) => has(`${node.title} ${node.namespace} ${node.name} ${node.tags.join(" ")}`))
    .sort((a, b) => rank(a.title) - rank(b.title) || a.title.localeCompare(b.title));
  const columns = nodes.flatMap((node) =>
    node.columns.filter((column) => has(column.name)).map((column) => ({ node, column })),
  );
  return [
    ...cards.map(({ key, title, rest }) => ({ key, title, rest, column: null })),
    ...columns.map(({ node: { key, title, rest }, column }) => ({ key, title, rest, column: column.name })),
  ].slice(0, MOST);
}
