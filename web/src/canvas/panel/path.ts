import type { components } from "@/api";

export type ColumnLineage = components["schemas"]["LineageAnswer"];
type Side = NonNullable<ColumnLineage["upstream"]>;
type WalkEdge = Side["edges"][number];
export type How = NonNullable<WalkEdge["transformations"]>[number];

export interface Step {
  from: string;
  to: string;
  hows: readonly How[];
  masked: boolean;
  current: boolean;
  /** Steps between it and the column: 1 is next to it. */
  depth: number;
}

/** How the values of a column got there, and where they go. */
export interface ValuePath {
  /** Ids of the columns at the beginning of the ways by which values come; empty for a column that nothing feeds. */
  sources: readonly string[];
  /** Ids of columns that only decide over rows. */
  deciding: readonly string[];
  /** The longest way from a source, in steps. */
  length: number;
  /** What happens on the ways of values, the commonest first. */
  subtypes: readonly string[];
  /** Whether every way from a source is masked. */
  masked: boolean;
  /** Steps by which values come, the farthest first; those that only decide over rows; then away from it, the nearest first. */
  up: readonly Step[];
  upDeciding: readonly Step[];
  down: readonly Step[];
  /** Columns and datasets that its values reach. */
  reached: number;
  datasets: number;
}

const isDirect = (edge: WalkEdge) => (edge.transformations ?? []).some((how) => how.type === "DIRECT");

/** What an answer about a column says of the way of its values. Pure. */
export function valuePath(answer: ColumnLineage): ValuePath {
  const up = answer.upstream;
  const down = answer.downstream;
  const own = ownIds(answer);
  const value = up ? reachedBy(own, up.edges.filter(isDirect), "from") : new Set<string>();
  const direct = (up?.edges ?? []).filter((edge) => isDirect(edge) && value.has(edge.from));
  const fed = new Set(direct.map((edge) => edge.to));
  const sources = [...value].filter((id) => !own.has(id) && !fed.has(id));
  const all = new Set((up?.edges ?? []).map((edge) => edge.from));
  const counts = new Map<string, number>();
  for (const edge of direct)
    for (const how of edge.transformations ?? [])
      if (how.type === "DIRECT") counts.set(how.subtype, (counts.get(how.subtype) ?? 0) + 1);
  const towards = steps(up, "from").sort((a, b) => b.depth - a.depth);
  const bringsValue = (step: Step) => value.has(step.from) && step.hows.some((how) => how.type === "DIRECT");
  const columns = (down?.nodes ?? []).filter((node) => node.depth > 0 && node.kind === "column");
  return {
    sources,
    deciding: [...all].filter((id) => !value.has(id) && !own.has(id)),
    length: longest(up, sources),
    subtypes: [...counts].sort((a, b) => b[1] - a[1]).map(([subtype]) => subtype),
    masked: sources.length > 0 && sources.every((id) => maskedAt(up, id)),
    up: towards.filter(bringsValue),
    upDeciding: towards.filter((step) => !bringsValue(step)),
    down: steps(down, "to").sort((a, b) => a.depth - b.depth),
    reached: columns.length,
    datasets: new Set(columns.map((node) => ("dataset" in node ? node.dataset : node.id))).size,
  };
}

function ownIds(answer: ColumnLineage): Set<string> {
  const first = [...(answer.upstream?.nodes ?? []), ...(answer.downstream?.nodes ?? [])].filter(
    (node) => node.depth === 0,
  );
  return new Set(first.length > 0 ? first.map(({ id }) => id) : [answer.start]);
}

function reachedBy(starts: ReadonlySet<string>, edges: readonly WalkEdge[], far: "from" | "to"): Set<string> {
  const near = far === "from" ? "to" : "from";
  const seen = new Set(starts);
  const waiting = [...starts];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const edge of edges)
      if (edge[near] === at && !seen.has(edge[far])) {
        seen.add(edge[far]);
        waiting.push(edge[far]);
      }
  return seen;
}

function longest(side: Side | undefined | null, sources: readonly string[]): number {
  const depths = new Map((side?.nodes ?? []).map((node) => [node.id, node.depth]));
  return Math.max(0, ...sources.map((id) => depths.get(id) ?? 0));
}

function maskedAt(side: Side | undefined | null, id: string): boolean {
  const node = side?.nodes.find((one) => one.id === id);
  return node !== undefined && "masked" in node && node.masked === true;
}

function steps(side: Side | undefined | null, far: "from" | "to"): Step[] {
  const depths = new Map((side?.nodes ?? []).map((node) => [node.id, node.depth]));
  return (side?.edges ?? []).map((edge) => ({
    from: edge.from,
    to: edge.to,
    hows: edge.transformations ?? [],
    masked: edge.masked === true,
    current: edge.current !== false,
    depth: depths.get(edge[far]) ?? 1,
  }));
}
