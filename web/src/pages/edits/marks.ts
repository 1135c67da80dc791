/** What to add and what to remove, to get from one set of tags or owners to another. */
export function difference(before: readonly string[], after: readonly string[]): { add: string[]; remove: string[] } {
  return {
    add: after.filter((one) => !before.includes(one)),
    remove: before.filter((one) => !after.includes(one)),
  };
}

/** The list with what was typed at its end: commas part several, nothing is in it twice. */
export function withTyped(list: readonly string[], typed: string): readonly string[] {
  const more = typed
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return [...new Set([...list, ...more])];
}
