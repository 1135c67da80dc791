import type { Column } from "@/parts";
import { type Field, list, optional, text } from "@/view";

/** A filter of a list: its parameter of the API, and how it is chosen. */
export interface Filter {
  name: FilterName;
  /** The values to choose from; without them it is typed. */
  options?: readonly string[];
  repeated?: boolean;
}

export const FILTER_NAMES = [
  "name",
  "text",
  "namespace",
  "location_type",
  "tag",
  "owner",
  "hidden",
  "since",
  "type",
  "status",
  "user",
  "kind",
  "dialect",
  "job",
  "dataset",
  "location",
  "parent",
  "sql",
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

export const LISTS = ["datasets", "jobs", "runs", "locations", "users", "tags", "sql"] as const;
export type ListName = (typeof LISTS)[number];

/** What a list shows, and how it can be narrowed and sorted. */
export interface ListSpec<R extends object> {
  list: ListName;
  filters: readonly Filter[];
  /** Columns that the server sorts by; the first is the one without a choice. */
  orders: readonly string[];
  order: string;
  /** Columns shown without a choice, of those of `useColumns`. */
  shown: readonly string[];
  /** Whether it can be asked for what was first seen until a moment. */
  hasPast?: boolean;
  useColumns: () => readonly Column<R>[];
  keyOf: (row: R) => string;
}

const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, list()])) as Record<
  FilterName,
  Field<readonly string[]>
>;

/** What of a list is in the address: filters, order and columns. */
export const LIST_VIEW = { ...filters, order: optional(), columns: text() };

/** The columns to draw: the chosen ones in the list's own order, or those that are shown without a choice. */
export function chosenColumns<R>(
  all: readonly Column<R>[],
  chosen: string,
  standard: readonly string[],
): readonly Column<R>[] {
  const wanted = new Set(chosen ? chosen.split(",") : standard);
  const found = all.filter((column, place) => place === 0 || wanted.has(column.id));
  return found;
}

/** The choice as the address has it, after one column was put in or taken out. */
export function withColumn(shown: readonly string[], id: string, standard: readonly string[]): string {
  const next = shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id];
  const same = next.length === standard.length && standard.every((one) => next.includes(one));
  return same ? "" : next.join(",");
}

/** The question to the API: only the filters of this list that have a value. */
export function queryOf(
  filters: readonly Filter[],
  values: Partial<Record<FilterName, readonly string[]>>,
): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const { name, repeated } of filters) {
    const value = (values[name] ?? []).map((one) => one.trim()).filter(Boolean);
    if (value.length > 0) query[name] = repeated ? value : (value[0] as string);
  }
  return query;
}
