import type { Arrow, Box, Places } from "./graph";
import { grown } from "./grow";
import { layout } from "./layout";
import { type Routes, routes } from "./routes";

/** What is to be laid out. With `before`, boxes that have a place keep it. */
export interface Asked {
  boxes: readonly Box[];
  arrows: readonly Arrow[];
  /** Further lines to lead around boxes, which decide over no place. */
  pairs: readonly Arrow[];
  before: Places | null;
}

export interface Answered {
  places: Places;
  routes: Routes;
}

export function answered({ boxes, arrows, pairs, before }: Asked): Answered {
  const places = before ? grown(boxes, arrows, before) : layout(boxes, arrows);
  const high = boxes.filter(({ low }) => !low);
  return { places, routes: { ...routes(high, pairs, places), ...routes(boxes, arrows, places) } };
}
