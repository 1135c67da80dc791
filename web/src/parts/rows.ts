import type { Column, Value } from "./Table";

/** Rows in which every typed word occurs in some column, without regard to case. */
export function narrow<R>(rows: readonly R[], columns: readonly Column<R>[], typed: string): readonly R[] {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns.map((column) => String(column.value(row) ?? "").toLocaleLowerCase()).join("\n");
    return words.every((word) => text.includes(word));
  });
}

/** Ascending; what is missing is last in both directions only by the table's own rule, here it is largest. */
export function compareValues(a: Value, b: Value, locale: string): number {
  const isMissing = (value: Value) => value === null || value === undefined || value === "";
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, locale, { numeric: true });
  return Number(a) - Number(b);
}

type Sorting = { id: string; desc: boolean }[];

/** "-rows" is the column `rows`, largest first. */
export function sortingOf(order: string | null): Sorting {
  if (!order) return [];
  return [order.startsWith("-") ? { id: order.slice(1), desc: true } : { id: order, desc: false }];
}

export function orderOf(sorting: Sorting): string {
  const [first] = sorting;
  return first ? `${first.desc ? "-" : ""}${first.id}` : "";
}
