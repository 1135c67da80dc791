import type { ColumnEdge, Picture, PictureFlow, PictureNode } from "@/canvas/records";

export type Change = NonNullable<PictureNode["change"]>;

export interface Changed {
  nodes: { change: Change; node: PictureNode }[];
  flows: { change: Change; flow: PictureFlow; from: PictureNode; to: PictureNode; columns: ColumnEdge[] }[];
  /** By dataset that is there before and after, the columns of its schema that changed. */
  schemas: { node: PictureNode; columns: PictureNode["columns"] }[];
}

const ORDER: Record<Change, number> = { removed: 0, changed: 1, added: 2 };

/** What a compared picture says has changed, as a list: what went first, then what changed, then what came. Pure. */
export function changedIn(picture: Pick<Picture, "nodes" | "flows" | "columns">): Changed {
  const nodes = new Map(picture.nodes.map((node) => [node.key, node]));
  const sorted = <T extends { change: Change }>(rows: T[]) => rows.sort((a, b) => ORDER[a.change] - ORDER[b.change]);
  return {
    nodes: sorted(
      picture.nodes.flatMap((node) =>
        node.change === "added" || node.change === "removed" ? [{ change: node.change, node }] : [],
      ),
    ),
    flows: sorted(
      picture.flows.flatMap((flow) => {
        const [from, to] = [nodes.get(flow.from), nodes.get(flow.to)];
        if (!flow.change || !from || !to) return [];
        const columns = picture.columns.filter((one) => one.from === flow.from && one.to === flow.to && one.change);
        return [{ change: flow.change, flow, from, to, columns }];
      }),
    ),
    schemas: picture.nodes.flatMap((node) => {
      const columns = node.columns.filter((column) => column.change !== null);
      return node.change === "changed" && columns.length > 0 ? [{ node, columns }] : [];
    }),
  };
}
