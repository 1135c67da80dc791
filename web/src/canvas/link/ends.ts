import type { PictureColumn, PictureNode } from "../records";
import type { Item } from "../scene/scene";
import type { End } from "./rules";

export function endOfNode(node: PictureNode): End {
  return { id: node.id, kind: node.kind, title: node.title };
}

export function endOfColumn(node: PictureNode, column: Pick<PictureColumn, "name">): End {
  return { id: `${node.id}#${column.name}`, kind: "column", title: `${node.title}.${column.name}` };
}

/** The end that an item of the picture stands for: a card's thing, or the one job of a pill; null for several things. */
export function endOfItem(item: Item | undefined): End | null {
  if (item?.kind === "card") return endOfNode(item.node);
  const [job] = item?.kind === "pill" && item.total === 1 ? item.jobs : [];
  return job ? { id: job.id, kind: "job", title: job.title } : null;
}

/** The end below a point of the window: a column where columns are linked, else what the card or pill stands for. */
export function endAt(x: number, y: number, items: ReadonlyMap<string, Item>, from: End): End | null {
  const below = document.elementFromPoint(x, y);
  const item = items.get(below?.closest<HTMLElement>("[data-card]")?.dataset["card"] ?? "");
  const column = below?.closest<HTMLElement>("[data-column]")?.dataset["column"];
  if (from.kind === "column" && item?.kind === "card" && column !== undefined)
    return endOfColumn(item.node, { name: column });
  return endOfItem(item);
}
