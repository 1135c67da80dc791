import { type Arrow, type Box, GAP_ACROSS, GAP_DOWN, type Places } from "./graph";
import { layout } from "./layout";

interface Slot {
  top: number;
  bottom: number;
}

/**
 * Places for a picture that has grown: what was there stays where it was (a card that became higher pushes down
 * those below it), and what is new goes to the side of the neighbour that it belongs to, as near as there is room.
 */
export function grown(boxes: readonly Box[], arrows: readonly Arrow[], before: Places): Places {
  const kept = boxes.filter((box) => before[box.id]);
  if (kept.length === 0) return layout(boxes, arrows);
  const places: Places = {};
  for (const box of kept) places[box.id] = { ...(before[box.id] as { x: number; y: number }) };
  pushedDown(kept, places);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const [out, into] = [neighbours(arrows, "from", "to", byId), neighbours(arrows, "to", "from", byId)];
  let waiting = boxes.filter((box) => !places[box.id]);
  while (waiting.length > 0) {
    const next = waiting.filter((box) =>
      [...(out.get(box.id) ?? []), ...(into.get(box.id) ?? [])].some((id) => places[id]),
    );
    if (next.length === 0) break;
    placeAll(next, places, byId, into, out);
    waiting = waiting.filter((box) => !places[box.id]);
  }
  if (waiting.length > 0) {
    const bottom = Math.max(...boxes.map((box) => (places[box.id]?.y ?? 0) + (places[box.id] ? box.height : 0)));
    for (const [id, place] of Object.entries(layout(waiting, arrows)))
      places[id] = { x: place.x, y: place.y + bottom + 2 * GAP_DOWN };
  }
  return places;
}

function neighbours(
  arrows: readonly Arrow[],
  near: "from" | "to",
  far: "from" | "to",
  known: ReadonlyMap<string, Box>,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const arrow of arrows) {
    if (arrow.from === arrow.to || !known.has(arrow.from) || !known.has(arrow.to)) continue;
    const listed = found.get(arrow[near]);
    if (listed) listed.push(arrow[far]);
    else found.set(arrow[near], [arrow[far]]);
  }
  return found;
}

/** Boxes that are next to placed ones, each at its wanted height or the nearest free one. */
function placeAll(
  boxes: readonly Box[],
  places: Places,
  byId: ReadonlyMap<string, Box>,
  into: ReadonlyMap<string, string[]>,
  out: ReadonlyMap<string, string[]>,
): void {
  const wanted = boxes.map((box) => {
    const sources = (into.get(box.id) ?? []).filter((id) => places[id]);
    const targets = (out.get(box.id) ?? []).filter((id) => places[id]);
    const right = Math.max(...sources.map((id) => (places[id]?.x ?? 0) + (byId.get(id)?.width ?? 0) + GAP_ACROSS));
    const left = Math.min(...targets.map((id) => (places[id]?.x ?? 0) - GAP_ACROSS - box.width));
    const x = sources.length > 0 ? right : left;
    const middles = (sources.length > 0 ? sources : targets).map((id) => middle(id, places, byId));
    return { box, x: aligned(x, box, places, byId), y: middles.reduce((sum, y) => sum + y, 0) / middles.length };
  });
  const columns = new Map<number, typeof wanted>();
  for (const one of wanted) columns.set(one.x, [...(columns.get(one.x) ?? []), one]);
  for (const column of columns.values()) {
    column.sort((a, b) => a.y - b.y);
    const total = column.reduce((sum, { box }) => sum + box.height + GAP_DOWN, -GAP_DOWN);
    let at = column.reduce((sum, { y }) => sum + y, 0) / column.length - total / 2;
    for (const { box, x } of column) {
      places[box.id] = { x, y: Math.round(freePlace(box, x, at, places, byId)) };
      at = Math.max(at, (places[box.id]?.y ?? at) as number) + box.height + GAP_DOWN;
    }
  }
}

function middle(id: string, places: Places, byId: ReadonlyMap<string, Box>): number {
  return (places[id]?.y ?? 0) + (byId.get(id)?.height ?? 0) / 2;
}

/** A column that is there already, where one begins close by. */
function aligned(x: number, box: Box, places: Places, byId: ReadonlyMap<string, Box>): number {
  let [best, nearest] = [x, GAP_ACROSS];
  for (const [id, place] of Object.entries(places)) {
    const center = place.x + ((byId.get(id)?.width ?? box.width) - box.width) / 2;
    const distance = Math.abs(center - x);
    if (distance < nearest) [best, nearest] = [center, distance];
  }
  return Math.round(best);
}

function freePlace(box: Box, x: number, y: number, places: Places, byId: ReadonlyMap<string, Box>): number {
  const taken: Slot[] = [];
  for (const [id, place] of Object.entries(places)) {
    const other = byId.get(id);
    if (!other || place.x + other.width + 12 <= x || place.x >= x + box.width + 12) continue;
    taken.push({ top: place.y - GAP_DOWN, bottom: place.y + other.height + GAP_DOWN });
  }
  taken.sort((a, b) => a.top - b.top);
  const tries = [y, ...taken.flatMap(({ top, bottom }) => [bottom, top - box.height])];
  const free = tries.filter((top) => taken.every((slot) => top >= slot.bottom || top + box.height <= slot.top));
  return free.reduce((best, top) => (Math.abs(top - y) < Math.abs(best - y) ? top : best), free[0] ?? y);
}

/** Boxes that overlap one above them move down, as far as they must. */
function pushedDown(boxes: readonly Box[], places: Places): void {
  const order = [...boxes].sort((a, b) => (places[a.id]?.y ?? 0) - (places[b.id]?.y ?? 0));
  order.forEach((box, at) => {
    const place = places[box.id] as { x: number; y: number };
    for (const above of order.slice(0, at)) {
      const other = places[above.id] as { x: number; y: number };
      const isBeside = other.x + above.width <= place.x || place.x + box.width <= other.x;
      if (!isBeside) place.y = Math.max(place.y, other.y + above.height + Math.min(GAP_DOWN, 12));
    }
  });
}
