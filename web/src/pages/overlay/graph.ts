/** The answer of `/openlineage/lineage`: datasets and jobs in the shape of Marquez. */
export interface LineageGraph {
  graph: readonly GraphNode[];
}

export interface GraphNode {
  id: string;
  type: string;
  data: {
    namespace?: string;
    name?: string;
    facets?: Record<string, unknown> | null;
    lastLifecycleState?: string | null;
    latestRun?: {
      id?: string;
      state?: string;
      endedAt?: string | null;
      facets?: Record<string, unknown> | null;
    } | null;
  };
  inEdges: readonly GraphEdge[];
  outEdges: readonly GraphEdge[];
}

export interface GraphEdge {
  origin: string;
  destination: string;
}

/** Several answers as one: who made what of what. */
export class Lineage {
  readonly nodes = new Map<string, GraphNode>();
  private readonly into = new Map<string, Set<string>>();
  private readonly out = new Map<string, Set<string>>();

  constructor(answers: readonly LineageGraph[]) {
    for (const { graph } of answers)
      for (const node of graph) {
        if (!this.nodes.has(node.id)) this.nodes.set(node.id, node);
        for (const { origin, destination } of [...node.inEdges, ...node.outEdges]) {
          added(this.into, destination, origin);
          added(this.out, origin, destination);
        }
      }
  }

  /** The jobs that wrote a dataset. */
  writers(dataset: string): string[] {
    return this.known(this.into.get(dataset));
  }

  /** The datasets next to one, each with the jobs between. */
  beside(dataset: string, side: "upstream" | "downstream"): Map<string, string[]> {
    const next = side === "upstream" ? this.into : this.out;
    const found = new Map<string, string[]>();
    for (const job of this.known(next.get(dataset)))
      for (const other of this.known(next.get(job))) {
        if (other === dataset) continue;
        const jobs = found.get(other);
        if (jobs) jobs.push(job);
        else found.set(other, [job]);
      }
    return found;
  }

  private known(ids: ReadonlySet<string> | undefined): string[] {
    return [...(ids ?? [])].filter((id) => this.nodes.has(id)).sort();
  }
}

function added(to: Map<string, Set<string>>, key: string, value: string): void {
  const known = to.get(key);
  if (known) known.add(value);
  else to.set(key, new Set([value]));
}
