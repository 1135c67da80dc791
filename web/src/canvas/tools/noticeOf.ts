import type { Picture } from "../records";
import type { View } from "./Toolbar";

export interface NoticeText {
  code: "alone" | "leftOut" | "many" | "hidden";
  count: number;
  offers: readonly ("location" | "schema" | "ends" | "now")[];
}

/** More cards than these are hard to follow. */
export const MANY_CARDS = 300;

/** What must be known of a picture beside what it shows, or null. Pure. */
export function noticeOf(
  picture: Pick<Picture, "nodes" | "flows" | "left_out">,
  view: Pick<View, "group" | "ends" | "hide" | "from_time" | "to_time" | "way" | "steps">,
): NoticeText | null {
  const { nodes, left_out: left } = picture;
  const isNarrowed =
    view.hide.length > 0 || view.from_time || view.to_time || view.way !== "both" || view.steps === 0 || view.ends;
  const folding = [
    ...(view.group === "none" ? (["schema", "location"] as const) : []),
    ...(view.ends ? [] : (["ends"] as const)),
  ];
  if (left.nodes > 0) return { code: "leftOut", count: left.nodes, offers: folding };
  if (nodes.length > MANY_CARDS && view.group === "none" && !view.ends)
    return { code: "many", count: nodes.length, offers: folding };
  if (nodes.length <= 1 && picture.flows.length === 0)
    return { code: "alone", count: 0, offers: isNarrowed ? ["now"] : [] };
  if (left.hidden > 0 && view.hide.length > 0) return { code: "hidden", count: left.hidden, offers: [] };
  return null;
}
