import type { components } from "@/api";

type Side = components["schemas"]["SideAnswer"];
export type Transformation = components["schemas"]["WalkEdge"]["transformations"][number];

/** One column of a value's path, with how it gets into those that are nearer to the column that is looked at. */
export interface Step {
  id: string;
  /** Steps from the column that is looked at. */
  distance: number;
  masked: boolean | null;
  isRows: boolean;
  ways: { to: string; transformations: readonly Transformation[]; masked: boolean | null; current: boolean }[];
}

/** The columns of one side with the edges that lead on, the farthest first upstream, the nearest first downstream. */
export function stepsOf(side: Side | null | undefined, way: "upstream" | "downstream"): Step[] {
  if (!side) return [];
  const found: Step[] = [];
  for (const node of side.nodes) {
    if (node.kind !== "column" && node.kind !== "rows") continue;
    if (node.depth === 0) continue;
    const ways = side.edges
      .filter((edge) => (way === "upstream" ? edge.from : edge.to) === node.id)
      .map((edge) => ({
        to: way === "upstream" ? edge.to : edge.from,
        transformations: edge.transformations ?? [],
        masked: edge.masked ?? null,
        current: edge.current ?? true,
      }));
    found.push({
      id: node.id,
      distance: node.depth,
      masked: node.masked ?? null,
      isRows: node.kind === "rows",
      ways,
    });
  }
  const turn = way === "upstream" ? -1 : 1;
  return found.sort((a, b) => turn * (a.distance - b.distance) || a.id.localeCompare(b.id));
}

/** Only steps by which values themselves travel all the way: no filters, joins, orders on it. */
export function directOnly(steps: readonly Step[]): Step[] {
  const known = new Set(steps.map(({ id }) => id));
  const reached = new Set<string>();
  const direct = (step: Step) =>
    step.ways.filter(
      ({ to, transformations }) =>
        transformations.some(({ type }) => type === "DIRECT") && (!known.has(to) || reached.has(to)),
    );
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const step of steps) if (direct(step).length > 0) reached.add(step.id);
  }
  return steps.filter(({ id }) => reached.has(id)).map((step) => ({ ...step, ways: direct(step) }));
}

/** Whether values of the column get to anybody, or come from anywhere, only masked. */
export function maskedWord(steps: readonly Step[]): "none" | "some" | "all" | "unknown" {
  const known = steps.filter(({ isRows }) => !isRows);
  if (known.length === 0) return "none";
  if (known.some(({ masked }) => masked === null)) return "unknown";
  const count = known.filter(({ masked }) => masked).length;
  return count === 0 ? "none" : count === known.length ? "all" : "some";
}
