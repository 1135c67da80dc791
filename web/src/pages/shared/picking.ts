import type { components } from "@/api";

export type Hit = components["schemas"]["SearchHit"];

/** What can be picked: a hit of the search itself, or a column of the dataset that was found by it. */
export interface Pick {
  id: string;
  kind: string;
  hit: Hit;
  /** Null for the hit itself. */
  column: string | null;
}

/** Columns of one dataset that are offered beside it. */
const BESIDE = 3;
/** Longer texts are cut by the server, and are then no name of a column. */
const LONGEST = 240;

/** What of the hits may be picked, in their order. The search finds datasets by their columns: those are offered as columns. */
export function picksOf(hits: readonly Hit[], kinds: readonly string[], most: number): Pick[] {
  return hits
    .flatMap((hit): Pick[] => {
      const own = kinds.includes(hit.kind) ? [{ id: hit.id, kind: hit.kind, hit, column: null }] : [];
      if (hit.kind !== "dataset" || !kinds.includes("column")) return own;
      const names = hit.highlights.filter(({ field, text }) => field === "column" && text.length < LONGEST);
      const columns = names
        .slice(0, own.length > 0 ? BESIDE : names.length)
        .map(({ text }) => ({ id: `${hit.id}#${text}`, kind: "column", hit, column: text }));
      return [...own, ...columns];
    })
    .slice(0, most);
}
