import type { components } from "@/api";

export type Affected = components["schemas"]["AffectedNode"];
export type Grouped = "distance" | "owner" | "kind";

/** What a thing is to people: dashboards and charts are datasets to the server. */
export type AffectedKind = "dataset" | "job" | "column" | "rows" | "dashboard" | "chart" | "view";

export function kindOf({ kind, dataset_type: type }: Pick<Affected, "kind" | "dataset_type">): AffectedKind {
  if (kind !== "dataset") return kind;
  const word = (type ?? "").toLowerCase();
  return word.includes("dashboard")
    ? "dashboard"
    : word.includes("chart")
      ? "chart"
      : word.includes("view")
        ? "view"
        : kind;
}

export interface Group {
  id: string;
  rows: readonly Affected[];
}

const KINDS: readonly AffectedKind[] = ["dashboard", "chart", "dataset", "view", "column", "rows", "job"];

/** The list in parts: by steps, nearest first; by owner, those without one last; by kind, what people look at first. Pure. */
export function groupsOf(rows: readonly Affected[], by: Grouped): Group[] {
  const found = new Map<string, Affected[]>();
  for (const row of rows) {
    const ids =
      by === "distance"
        ? [String(row.distance)]
        : by === "kind"
          ? [kindOf(row)]
          : row.owners.length > 0
            ? row.owners
            : [""];
    for (const id of ids) {
      const listed = found.get(id);
      if (listed) listed.push(row);
      else found.set(id, [row]);
    }
  }
  const order: Record<Grouped, (a: string, b: string) => number> = {
    distance: (a, b) => Number(a) - Number(b),
    kind: (a, b) => KINDS.indexOf(a as AffectedKind) - KINDS.indexOf(b as AffectedKind),
    owner: (a, b) => Number(a === "") - Number(b === "") || a.localeCompare(b),
  };
  return [...found].sort(([a], [b]) => order[by](a, b)).map(([id, listed]) => ({ id, rows: listed }));
}

export interface Summary {
  datasets: number;
  boards: number;
  jobs: number;
  columns: number;
  owners: number;
  farthest: number;
}

/** What the sentence above the list counts. Pure. */
export function summaryOf(rows: readonly Affected[]): Summary {
  const kinds = rows.map(kindOf);
  const count = (...wanted: AffectedKind[]) => kinds.filter((kind) => wanted.includes(kind)).length;
  const places = new Set(rows.filter((row) => row.column !== null).map((row) => `${row.namespace}\n${row.name}`));
  return {
    datasets: count("dataset", "view") + places.size,
    boards: count("dashboard", "chart"),
    jobs: count("job"),
    columns: count("column"),
    owners: new Set(rows.flatMap((row) => row.owners)).size,
    farthest: Math.max(0, ...rows.map((row) => row.distance)),
  };
}
