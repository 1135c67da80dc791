import type { Change } from "./useEdit";

export type EdgeWanted = "feeds" | "fedBy" | "removeEdge" | "hideEdge" | "showEdge";

const MEMBER = { feeds: "add", fedBy: "add", removeEdge: "remove", hideEdge: "hide", showEdge: "show" } as const;

/** What is sent for a change of one edge. */
export function edgeChange(wanted: EdgeWanted, source: string, target: string, reason: string): Change {
  const made = reason.trim() ? { reason: reason.trim() } : {};
  return { route: "edits/lineage", body: { [MEMBER[wanted]]: [{ source, target }], ...made } };
}
