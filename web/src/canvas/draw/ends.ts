import type { Places } from "../layout/graph";
import type { Passage, Routes } from "../layout/routes";
import { flowId } from "../scene/pick";
import type { Item, Line } from "../scene/scene";
import { CARD_HEAD, MOST_ROWS, ROW } from "../scene/size";
import type { Point } from "./curve";

/** Where lines begin and end. */
export interface Placed {
  items: ReadonlyMap<string, Item>;
  places: Places;
  routes: Routes;
  /** By card, how far its list of columns is scrolled. */
  scrolled: ReadonlyMap<string, number>;
}

/** The middle of the left or right side of an item: of a card, beside its head. */
export function sideOf({ items, places }: Placed, id: string, side: "left" | "right"): Point | null {
  const item = items.get(id);
  const place = places[id];
  if (!item || !place) return null;
  const down = item.kind === "card" ? CARD_HEAD / 2 : item.height / 2;
  return { x: place.x + (side === "right" ? item.width : 0), y: place.y + down };
}

/** Beside the row of a column, as far as it is in sight; beside the head where the card is folded. */
export function rowOf(placed: Placed, id: string, column: string, side: "left" | "right"): Point | null {
  const item = placed.items.get(id);
  const place = placed.places[id];
  if (item?.kind !== "card" || !place || !item.rows) return sideOf(placed, id, side);
  const at = item.rows.findIndex((row) => row.name === column);
  if (at < 0) return sideOf(placed, id, side);
  const scrolled = placed.scrolled.get(id) ?? 0;
  const shown = Math.min(item.rows.length, MOST_ROWS) * ROW;
  const down = Math.min(shown - 4, Math.max(4, at * ROW + ROW / 2 - scrolled));
  return { x: place.x + (side === "right" ? item.width : 0), y: place.y + CARD_HEAD + 4 + down };
}

/** Edges between columns that are drawn one by one: those of cards of which one at least is unfolded. */
export function drawnEdges<T extends Pick<Line, "from" | "to">>({ items }: Placed, edges: readonly T[]): T[] {
  return edges.filter((edge) => {
    const [from, to] = [items.get(edge.from), items.get(edge.to)];
    return from?.kind === "card" && to?.kind === "card" && (from.rows !== null || to.rows !== null);
  });
}

/** How a line leads around what is between its ends. */
export function passagesOf({ routes }: Placed, { from, to }: Pick<Line, "from" | "to">): readonly Passage[] {
  return routes[flowId(from, to)] ?? [];
}

/** Where a line that leads back goes round: below everything between its ends. */
export function bottomOf({ items, places }: Placed, line: Pick<Line, "from" | "to">): number {
  const [from, to] = [places[line.from], places[line.to]];
  if (!from || !to) return 0;
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  let bottom = 0;
  for (const [id, item] of items) {
    const place = places[id];
    if (!place || place.x + item.width < left || place.x > right + item.width) continue;
    if (line.from === line.to && id !== line.from) continue;
    bottom = Math.max(bottom, place.y + item.height);
  }
  return bottom + 28;
}
