import type { EditItem } from "../shared/records";

export const EDIT_CODES = [
  "hidden",
  "shown",
  "same",
  "apart",
  "undecided",
  "added",
  "denied",
  "takenBack",
  "set",
  "unset",
  "edgeStated",
  "edgeRemoved",
  "edgeHidden",
  "edgeShown",
] as const;
export type EditCode = (typeof EDIT_CODES)[number];

/** What a change by hand did, as one of the words of `pages.edits.did`. */
export function editCode({ kind, name, value }: Pick<EditItem, "kind" | "name" | "value">): EditCode {
  const isNo = value === "false";
  if (kind === "edge") return value ? "edgeStated" : "edgeRemoved";
  if (kind === "edge_hidden") return value ? "edgeHidden" : "edgeShown";
  if (kind === "hidden") return value ? "hidden" : "shown";
  if (kind === "same_location") return !value ? "undecided" : isNo ? "apart" : "same";
  if (name) return !value ? "takenBack" : isNo ? "denied" : "added";
  return value ? "set" : "unset";
}
