import type { components } from "@/api";

export type Branch = components["schemas"]["Branch"];
export type Details = components["schemas"]["AssetDetails"];
export type AssetLink = components["schemas"]["AssetLink"];
export type AssetRef = components["schemas"]["AssetRef"];

/** Kinds of assets, in the order in which they are offered. */
export const KINDS = [
  "Catalog",
  "Schema",
  "Table",
  "Column",
  "AtomicMetric",
  "DerivedMetric",
  "CompositeMetric",
  "WordRoot",
  "Modifier",
  "Unit",
  "ValueDomain",
  "Tag",
  "Chart",
  "Dashboard",
  "SQL",
] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds of which there may be very many right below the tenant: a branch of their own for each. */
const GROUPED: readonly string[] = ["Chart", "Dashboard", "WordRoot", "Modifier", "Unit", "ValueDomain", "Tag"];
const INNER = new Set([
  "createdAt",
  "updatedAt",
  "calculationFormula",
  "aggregationLogic",
  "unresolvedColumns",
  "code",
]);

export interface Group {
  kind: Kind;
  children: readonly Branch[];
}

/** What is right below the tenant: catalogs, and the terms and tags by kind. */
export function topOf(children: readonly Branch[]): { places: readonly Branch[]; groups: readonly Group[] } {
  const groups = GROUPED.map((kind) => ({
    kind: kind as Kind,
    children: children.filter((one) => one.kind === kind),
  })).filter((group) => group.children.length > 0);
  return { places: children.filter((one) => !GROUPED.includes(one.kind)), groups };
}

export interface LinkGroup {
  edge: string;
  direction: "in" | "out";
  links: readonly AssetLink[];
}

/** The edges of an asset by kind and direction, what it needs before what needs it; its tenant is left out. */
export function groupsOf(edges: readonly AssetLink[]): LinkGroup[] {
  const groups = new Map<string, AssetLink[]>();
  for (const link of edges) {
    if (link.to.kind === "Tenant") continue;
    const key = `${link.direction === "out" ? 0 : 1} ${link.edge}`;
    groups.set(key, [...(groups.get(key) ?? []), link]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, links]) => ({
      edge: key.slice(2),
      direction: key.startsWith("0") ? "out" : "in",
      links,
    }));
}

export interface Formula {
  text: string | null;
  measures: readonly AssetRef[];
  filters: readonly AssetRef[];
  parents: readonly AssetRef[];
  /** Columns of which only a number of the catalog's own is known. */
  unresolved: readonly string[];
}

/** How a metric is worked out; null for what is none. */
export function formulaOf(asset: Details): Formula | null {
  if (!asset.kind.endsWith("Metric")) return null;
  const towards = (...edges: string[]) =>
    asset.edges.filter((link) => link.direction === "out" && edges.includes(link.edge)).map((link) => link.to);
  const { calculationFormula, aggregationLogic, unresolvedColumns } = asset.attributes;
  const text = calculationFormula ?? aggregationLogic;
  return {
    text: typeof text === "string" && text !== "" ? text : null,
    measures: towards("MEASURES"),
    filters: towards("FILTERS_BY"),
    parents: towards("DERIVED_FROM", "COMPUTED_FROM"),
    unresolved: Array.isArray(unresolvedColumns) ? unresolvedColumns.map(String) : [],
  };
}

/** What is told of an asset beside its name, as text; properties one by one. */
export function attributesOf(asset: Details): [string, string][] {
  return Object.entries(asset.attributes).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === "" || (asset.kind.endsWith("Metric") && INNER.has(name))) return [];
    if (name === "createdAt" || name === "updatedAt" || name === "content") return [];
    if (name === "properties" && typeof value === "object")
      return Object.entries(value).map(([key, inner]) => [key, printed(inner)]);
    return [[name, printed(value)]];
  });
}

function printed(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The page of lineage for the same thing, where it has one. */
export function lineageOf({ kind, id }: AssetRef): { to: string; id: string } | null {
  if (["Table", "Chart", "Dashboard"].includes(kind)) return { to: "/dataset", id: `dataset:${id}` };
  if (kind === "Column") return { to: "/column", id: `dataset:${id}` };
  return null;
}
