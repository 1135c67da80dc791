/** What was looked at last, kept in this browser only. */

export interface Looked {
  id: string;
  /** Milliseconds. */
  at: number;
}

const MOST = 30;
const LONGEST = 4000;
const NAME = "headwater.looked";

/** The list with this thing at its beginning; nothing is in it twice. */
export function withLooked(list: readonly Looked[], id: string, at: number): Looked[] {
  if (!id || id.length > LONGEST) return [...list];
  return [{ id, at }, ...list.filter((one) => one.id !== id)].slice(0, MOST);
}

/** What is kept, whatever somebody wrote there. */
export function readLooked(kept: string | null): Looked[] {
  try {
    const found: unknown = JSON.parse(kept ?? "[]");
    if (!Array.isArray(found)) return [];
    return found
      .filter(
        (one: unknown): one is Looked =>
          typeof one === "object" &&
          one !== null &&
          typeof (one as Looked).id === "string" &&
          typeof (one as Looked).at === "number",
      )
      .slice(0, MOST);
  } catch {
    return [];
  }
}

const keyOf = (tenant: string | null) => (tenant ? `${NAME}.${tenant}` : NAME);

export function lookedAt(tenant: string | null): Looked[] {
  try {
    return readLooked(localStorage.getItem(keyOf(tenant)));
  } catch {
    return [];
  }
}

/** Remembers that a thing was looked at, if the browser lets us. */
export function remember(tenant: string | null, id: string): void {
  try {
    localStorage.setItem(keyOf(tenant), JSON.stringify(withLooked(lookedAt(tenant), id, Date.now())));
  } catch {
    // storage is switched off or full: nothing is remembered
  }
}
