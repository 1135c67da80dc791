import type { PictureFlow, PictureNode } from "../records";
import { flowId } from "./pick";

export type Grouping = "none" | "location" | "schema";

/** Nodes that are drawn as one card. */
export interface Group {
  id: string;
  title: string;
  rest: string;
  storage: string | null;
  members: readonly PictureNode[];
}

export interface Grouped {
  /** Nodes that are drawn on their own. */
  nodes: readonly PictureNode[];
  groups: readonly Group[];
  /** The item that stands for a node. */
  itemOf: (key: string) => string;
}

const PREFIX = "group:";

/** The id of the group that a node belongs to, or null where it belongs to none. */
export function groupOf(node: PictureNode, by: Grouping): string | null {
  if (by === "none" || !["dataset", "chart", "dashboard"].includes(node.kind)) return null;
  return `${PREFIX}${node.namespace}${by === "schema" ? `\n${schemaOf(node.name)}` : ""}`;
}

/** What stands before the last part of a name. */
export function schemaOf(name: string): string {
  const cut = Math.max(name.lastIndexOf("/"), name.includes("/") ? -1 : name.lastIndexOf("."));
  return cut > 0 ? name.slice(0, cut) : "";
}

/** Folds nodes of one place into one card each: two or more of them, never the start, and not what is unfolded. */
export function grouped(
  nodes: readonly PictureNode[],
  by: Grouping,
  start: string,
  unfolded: ReadonlySet<string>,
): Grouped {
  const members = new Map<string, PictureNode[]>();
  for (const node of nodes) {
    const id = node.key === start ? null : groupOf(node, by);
    if (id !== null && !unfolded.has(id)) members.set(id, [...(members.get(id) ?? []), node]);
  }
  const groups: Group[] = [];
  const items = new Map<string, string>();
  for (const [id, listed] of members) {
    const [first] = listed;
    if (!first || listed.length < 2) continue;
    for (const node of listed) items.set(node.key, id);
    const schema = by === "schema" ? schemaOf(first.name) : "";
    groups.push({
      id,
      title: schema || placeOf(first.namespace),
      rest: first.namespace,
      storage: first.storage,
      members: listed,
    });
  }
  return {
    nodes: nodes.filter((node) => !items.has(node.key)),
    groups,
    itemOf: (key) => items.get(key) ?? key,
  };
}

function placeOf(namespace: string): string {
  return namespace.replace(/^[\w.+-]+:\/\//, "").replace(/\/$/, "") || namespace;
}

/** Flows between items: those inside of a group are left out, those between the same two are kept together. */
export function between(
  flows: readonly PictureFlow[],
  itemOf: (key: string) => string,
): { from: string; to: string; flows: PictureFlow[] }[] {
  const found = new Map<string, { from: string; to: string; flows: PictureFlow[] }>();
  for (const flow of flows) {
    const [from, to] = [itemOf(flow.from), itemOf(flow.to)];
    if (from === to && from !== flow.from) continue;
    const id = flowId(from, to);
    const known = found.get(id);
    if (known) known.flows.push(flow);
    else found.set(id, { from, to, flows: [flow] });
  }
  return [...found.values()];
}
