import type { Arrow, Box, Places } from "./graph";
import { grown } from "./grow";
import { layout } from "./layout";

/** What is to be laid out. With `before`, boxes that have a place keep it. */
export interface Asked {
  boxes: readonly Box[];
  arrows: readonly Arrow[];
  before: Places | null;
}

export function answered({ boxes, arrows, before }: Asked): Places {
  return before ? grown(boxes, arrows, before) : layout(boxes, arrows);
}
