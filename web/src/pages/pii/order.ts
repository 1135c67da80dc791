import type { components } from "@/api";

export type Affected = components["schemas"]["AffectedNode"];
type TagItem = components["schemas"]["TagItem"];

/** Where a value arrives, as the privacy officer reads it. */
export type Arrival = "bare" | "unknown" | "masked" | "decides";

export function arrivalOf({
  masked,
  masking_unknown: isUnknown,
}: Pick<Affected, "masked" | "masking_unknown">): Arrival {
  if (masked === true) return "masked";
  if (masked === false) return "bare";
  return isUnknown ? "unknown" : "decides";
}

const ORDER: readonly Arrival[] = ["bare", "unknown", "masked", "decides"];

/** Bare end points first, then bare columns on the way, then what is unknown, masked, or only used to decide. Pure. */
export function byRisk(rows: readonly Affected[]): { arrival: Arrival; rows: Affected[] }[] {
  return ORDER.map((arrival) => ({
    arrival,
    rows: rows
      .filter((row) => arrivalOf(row) === arrival)
      .sort((a, b) => Number(b.is_end) - Number(a.is_end) || a.distance - b.distance || a.id.localeCompare(b.id)),
  })).filter((part) => part.rows.length > 0);
}

const PERSONAL = /pii|personal|privacy|gdpr|sensitiv|confiden|secret/i;

/** Tags that speak of persons first, then by how much carries them. Pure. */
export function tagsInOrder(tags: readonly TagItem[]): TagItem[] {
  const size = (tag: TagItem) => tag.columns + tag.datasets + tag.jobs;
  return [...tags].sort(
    (a, b) =>
      Number(PERSONAL.test(b.tag)) - Number(PERSONAL.test(a.tag)) || size(b) - size(a) || a.tag.localeCompare(b.tag),
  );
}
