import type { Search } from "@/view";

/** What can have a page of its own. */
export interface Linked {
  kind: string;
  id: string;
}

const PAGES: Record<string, string> = {
  dataset: "/dataset",
  column: "/column",
  job: "/job",
  application: "/job",
  run: "/run",
  operation: "/run",
  user: "/user",
  location: "/location",
  statement: "/statement",
  chart: "/dataset",
  dashboard: "/dataset",
  asset: "/catalog",
};

/** Where the page of a thing is; kinds without one lead to the search. */
export function linkTo({ kind, id }: Linked): { to: string; search: Search } {
  const to = PAGES[kind.toLowerCase()];
  return to ? { to, search: { id } } : { to: "/search", search: { q: id } };
}
