import type { ColumnSource, DatasetEntity, SchemaField, SchemaVersion } from "../shared/records";

/** The schema that held at a moment: the newest that was seen by then; now, the one that the server says. */
export function schemaAt(
  dataset: Pick<DatasetEntity, "schema" | "schema_history">,
  moment: string | null,
): readonly SchemaField[] {
  if (!moment) return dataset.schema;
  const until = Date.parse(moment);
  const known = dataset.schema_history
    .filter(({ first_seen }) => first_seen !== null && Date.parse(first_seen) <= until)
    .sort((a, b) => Date.parse(a.first_seen ?? "") - Date.parse(b.first_seen ?? ""));
  return known.at(-1)?.fields ?? [];
}

/** One line of a schema tree. */
export interface TreeRow {
  path: string;
  depth: number;
  field: SchemaField;
  hasChildren: boolean;
}

/** Fields with the nested ones of those that are open below them. While something is typed all are open, and only
 * lines that match, and what they are in, are left. */
export function treeRows(fields: readonly SchemaField[], open: ReadonlySet<string>, typed = ""): TreeRow[] {
  const wanted = typed.trim().toLocaleLowerCase();
  const walk = (list: readonly SchemaField[], depth: number, before: string): TreeRow[] =>
    list.flatMap((field) => {
      const path = before ? `${before}.${field.name}` : field.name;
      const children = field.fields ?? [];
      const inside = wanted || open.has(path) ? walk(children, depth + 1, path) : [];
      const said = `${path} ${field.type ?? ""} ${field.description ?? ""} ${(field.tags ?? []).join(" ")}`;
      if (wanted && inside.length === 0 && !said.toLocaleLowerCase().includes(wanted)) return [];
      return [{ path, depth, field, hasChildren: children.length > 0 }, ...inside];
    });
  return walk(fields, 0, "");
}

/** By column, how many columns it comes from directly (not through filters, joins and the like). */
export function sourceCounts(columns: readonly ColumnSource[]): ReadonlyMap<string, number> {
  const found = new Map<string, Set<string>>();
  for (const { column, source, source_column, type } of columns) {
    if (type !== "DIRECT" || !column) continue;
    const sources = found.get(column) ?? new Set();
    found.set(column, sources.add(`${source}#${source_column}`));
  }
  return new Map([...found].map(([column, sources]) => [column, sources.size]));
}

/** One line of the difference between a schema and the one before it. */
export interface SchemaLine {
  change: "added" | "removed" | "changed";
  name: string;
  before: string | null;
  after: string | null;
}

/** What a schema changed of the one before, in the order of its columns; nested ones as the server names them. */
export function schemaLines(version: SchemaVersion, before: SchemaVersion | undefined): SchemaLine[] {
  const now = typesOf(version.fields);
  const then = typesOf(before?.fields ?? []);
  const line = (change: SchemaLine["change"], name: string): SchemaLine => ({
    change,
    name,
    before: then.get(name) ?? null,
    after: now.get(name) ?? null,
  });
  return [
    ...version.added.map((name) => line("added", name)),
    ...version.changed.map((name) => line("changed", name)),
    ...version.removed.map((name) => line("removed", name)),
  ];
}

/** By the path of each column its type. */
export function typesOf(fields: readonly SchemaField[], before = ""): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const field of fields) {
    const path = before ? `${before}.${field.name}` : field.name;
    found.set(path, field.type ?? null);
    for (const [inner, type] of typesOf(field.fields ?? [], path)) found.set(inner, type);
  }
  return found;
}

/** The types that a column had, oldest first; a version without the column ends what was before it. */
export interface TypeSpan {
  type: string | null;
  since: string | null;
  until: string | null;
}

export function typesOver(history: readonly SchemaVersion[], column: string): TypeSpan[] {
  const ordered = [...history].sort((a, b) => Date.parse(a.first_seen ?? "") - Date.parse(b.first_seen ?? ""));
  const found: TypeSpan[] = [];
  let isOpen = false;
  for (const version of ordered) {
    const types = typesOf(version.fields);
    const last = isOpen ? found.at(-1) : undefined;
    if (!types.has(column)) {
      if (last) last.until = version.first_seen;
      isOpen = false;
      continue;
    }
    const type = types.get(column) ?? null;
    if (last && last.type === type) continue;
    if (last) last.until = version.first_seen;
    found.push({ type, since: version.first_seen, until: null });
    isOpen = true;
  }
  return found;
}
