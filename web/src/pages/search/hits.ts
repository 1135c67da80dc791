import type { SearchHit } from "../shared/records";

/** Why a hit matched: the part of it that the words were found in, best first; the name itself needs no reason. */
export function reasonsOf(hit: SearchHit): SearchHit["highlights"] {
  return hit.highlights.filter(({ field }) => field !== "name").slice(0, 3);
}

/** What of a hit means something like what was typed, the nearest first. */
export function meaningsOf(hit: SearchHit): SearchHit["reasons"] {
  return hit.reasons
    .filter(({ by }) => by === "meaning")
    .sort((a, b) => b.score - a.score)
    .slice(0, 2);
}

/** What something is about, where it was found by its meaning and no word of that is marked. */
export function aboutOf(hit: SearchHit): string | null {
  const isMarked = hit.highlights.some(({ field }) => field === "description");
  return !isMarked && meaningsOf(hit).length > 0 ? hit.description : null;
}

/** The kinds that something was found of, most first, in the order of the server where they are equal. */
export function kindCounts(totals: Record<string, number>): readonly (readonly [string, number])[] {
  return Object.entries(totals)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
}

/** A long text around its first mark, so that what matched is in sight; marks count characters. */
export function around(
  text: string,
  marks: readonly (readonly number[])[],
  most = 160,
): { text: string; marks: number[][] } {
  const letters = Array.from(text);
  if (letters.length <= most) return { text, marks: marks.map((mark) => [...mark]) };
  const first = Math.min(...marks.map(([start = 0]) => start), letters.length);
  const from = Math.max(0, Math.min(first - 40, letters.length - most));
  const to = Math.min(letters.length, from + most);
  const before = from > 0 ? "…" : "";
  const kept = marks
    .filter(([start = 0, end = 0]) => start >= from && end <= to)
    .map(([start = 0, end = 0]) => [start - from + before.length, end - from + before.length]);
  return { text: `${before}${letters.slice(from, to).join("")}${to < letters.length ? "…" : ""}`, marks: kept };
}
