/** What is selected, as it stands in the address: a node, a column, a flow, or an edge between columns. */
export type Picked =
  | { kind: "node"; key: string }
  | { kind: "column"; key: string; column: string }
  | { kind: "flow"; from: string; to: string }
  | { kind: "edge"; from: string; fromColumn: string; to: string; toColumn: string };

export function flowId(from: string, to: string): string {
  return `${from}>${to}`;
}

export function columnId(key: string, column: string): string {
  return `${key}#${column}`;
}

const code = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");
const plain = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return text;
  }
};

export function printPick(pick: Picked | null): string | null {
  if (!pick) return null;
  if (pick.kind === "node") return pick.key;
  if (pick.kind === "column") return `${pick.key}#${code(pick.column)}`;
  if (pick.kind === "flow") return `${pick.from}>${pick.to}`;
  return `${pick.from}#${code(pick.fromColumn)}>${pick.to}#${code(pick.toColumn)}`;
}

/** In an address: nothing is selected, although it names a column. */
export const NOTHING = "-";

export function readPick(text: string | null): Picked | null {
  if (!text || text === NOTHING) return null;
  const [one = "", other] = text.split(">");
  const [from = "", fromColumn] = one.split("#");
  if (other === undefined) {
    if (!from) return null;
    return fromColumn === undefined
      ? { kind: "node", key: from }
      : { kind: "column", key: from, column: plain(fromColumn) };
  }
  const [to = "", toColumn] = other.split("#");
  if (!from || !to) return null;
  if (fromColumn === undefined || toColumn === undefined) return { kind: "flow", from, to };
  return { kind: "edge", from, fromColumn: plain(fromColumn), to, toColumn: plain(toColumn) };
}
