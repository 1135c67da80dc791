import type { Places } from "../layout/graph";
import type { Picked } from "../scene/pick";
import type { CardItem, Item, Line, Scene } from "../scene/scene";

export type Arrow = "left" | "right" | "up" | "down";

/** Where an arrow key leads from an item: along a line to the side, or to the item above or below. Pills are passed. */
export function itemBeside(scene: Scene, places: Places, from: string, arrow: Arrow): string | null {
  const items = new Map(scene.items.map((item) => [item.id, item]));
  const here = centre(items.get(from), places);
  if (!here) return null;
  if (arrow === "left" || arrow === "right") {
    const joined = joinedTo(scene.lines, items, from, arrow);
    return nearest(joined, (id) => {
      const there = centre(items.get(id), places);
      return there ? Math.abs(there.y - here.y) + Math.abs(there.x - here.x) / 10 : null;
    });
  }
  return nearest(
    scene.items.filter((item) => item.kind !== "pill" && item.id !== from).map(({ id }) => id),
    (id) => {
      const there = centre(items.get(id), places);
      if (!there) return null;
      const down = arrow === "down" ? there.y - here.y : here.y - there.y;
      return down > 1 ? down + 4 * Math.abs(there.x - here.x) : null;
    },
  );
}

function centre(item: Item | undefined, places: Places): { x: number; y: number } | null {
  const place = item && places[item.id];
  return item && place ? { x: place.x + item.width / 2, y: place.y + item.height / 2 } : null;
}

function joinedTo(
  lines: readonly Line[],
  items: ReadonlyMap<string, Item>,
  from: string,
  arrow: "left" | "right",
): string[] {
  const [near, far] = arrow === "right" ? (["from", "to"] as const) : (["to", "from"] as const);
  const next = (id: string) => lines.filter((line) => line[near] === id && line[far] !== id).map((line) => line[far]);
  return next(from).flatMap((id) => (items.get(id)?.kind === "pill" ? next(id) : [id]));
}

function nearest(ids: readonly string[], distance: (id: string) => number | null): string | null {
  let [best, least] = [null as string | null, Number.POSITIVE_INFINITY];
  for (const id of ids) {
    const far = distance(id);
    if (far !== null && far < least) [best, least] = [id, far];
  }
  return best;
}

type OfColumn = Extract<Picked, { kind: "column" }>;
interface Ways {
  columns: readonly { from: string; from_column: string; to: string; to_column: string }[];
}

/** Where an arrow key leads from a column: to the row above or below, or along a line to the first column beside it. */
export function columnBeside(scene: Scene, picture: Ways, at: OfColumn, arrow: Arrow): OfColumn | null {
  if (arrow === "up" || arrow === "down") {
    const card = scene.items.find((item): item is CardItem => item.kind === "card" && item.id === at.key);
    const rows = card?.rows ?? [];
    const place = rows.findIndex((row) => row.name === at.column);
    const next = rows[place + (arrow === "down" ? 1 : -1)];
    return next ? { ...at, column: next.name } : null;
  }
  for (const edge of picture.columns) {
    if (arrow === "right" && edge.from === at.key && edge.from_column === at.column && edge.to_column)
      return { kind: "column", key: edge.to, column: edge.to_column };
    if (arrow === "left" && edge.to === at.key && edge.to_column === at.column)
      return { kind: "column", key: edge.from, column: edge.from_column };
  }
  return null;
}

/** The flow after the one that is explained, of those that begin or end at a node; after the last comes the first. */
export function nextFlow(
  flows: readonly { from: string; to: string }[],
  key: string,
  shown: { from: string; to: string } | null,
): { from: string; to: string } | null {
  const own = flows.filter((flow) => flow.from === key || flow.to === key);
  const at = own.findIndex((flow) => flow.from === shown?.from && flow.to === shown.to);
  return own[(at + 1) % own.length] ?? null;
}
