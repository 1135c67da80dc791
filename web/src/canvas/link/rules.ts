/** What may feed what by hand, as the server's table of rules says it. Pure. */

export interface Rule {
  downstream: string;
  upstream: readonly string[];
}

/** An end of an edge by hand: a dataset, chart, dashboard, job or column. */
export interface End {
  id: string;
  kind: string;
  title: string;
}

/** Why an edge may not lead to a target. */
export type Refusal =
  { code: "same" } | { code: "never"; kind: string } | { code: "kind"; kind: string; allowed: readonly string[] };

/** Whether anything may be fed by something of this kind. */
export function mayBegin(rules: readonly Rule[], kind: string): boolean {
  return rules.some(({ upstream }) => upstream.includes(kind));
}

/** Null where the rules allow an edge, else why they do not. */
export function refusalOf(rules: readonly Rule[], from: End, to: End): Refusal | null {
  if (from.id === to.id) return { code: "same" };
  const rule = rules.find(({ downstream }) => downstream === to.kind);
  if (!rule) return { code: "never", kind: to.kind };
  return rule.upstream.includes(from.kind) ? null : { code: "kind", kind: to.kind, allowed: rule.upstream };
}
