/** Quality checks and measures, which the API hands on as records without a fixed form. */

export interface Check {
  name: string;
  column: string | null;
  severity: string | null;
  run: string | null;
  /** Null where nothing says how it ended. */
  success: boolean | null;
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

export function checksOf(found: readonly unknown[]): Check[] {
  return found
    .filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null)
    .map((one) => ({
      name: text(one["name"]) ?? "?",
      column: text(one["column"]),
      severity: text(one["severity"]),
      run: text(one["run"]),
      success: typeof one["success"] === "boolean" ? one["success"] : null,
    }))
    .sort((a, b) => rank(a) - rank(b));
}

const rank = ({ success }: Check): number => (success === false ? 0 : success === null ? 1 : 2);

export interface Measured {
  rows: number | null;
  bytes: number | null;
  run: string | null;
  columns: { name: string; nulls: number | null; distinct: number | null; least: string | null; most: string | null }[];
}

export function measuredOf(quality: unknown): Measured | null {
  if (typeof quality !== "object" || quality === null) return null;
  const known = quality as Record<string, unknown>;
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  const shown = (value: unknown) => (value === null || value === undefined ? null : String(value));
  const columns = typeof known["columns"] === "object" && known["columns"] !== null ? known["columns"] : {};
  return {
    rows: number(known["rows"]),
    bytes: number(known["bytes"]),
    run: text(known["run"]),
    columns: Object.entries(columns).map(([name, said]) => {
      const measure = (said ?? {}) as Record<string, unknown>;
      return {
        name,
        nulls: number(measure["nullCount"]),
        distinct: number(measure["distinctCount"]),
        least: shown(measure["min"]),
        most: shown(measure["max"]),
      };
    }),
  };
}
