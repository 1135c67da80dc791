import type { Change } from "./useEdit";

/** What a form asks to make: a chart or dashboard, with what is known of it. */
export interface NewThing {
  kind: "chart" | "dashboard";
  tool: string;
  id: string;
  title: string;
  url: string;
  description: string;
  owners: string;
}

export const NOTHING_YET: NewThing = {
  kind: "dashboard",
  tool: "",
  id: "",
  title: "",
  url: "",
  description: "",
  owners: "",
};

/** What is sent to make it, or null while a part is missing without which it has no name. */
export function createChange(of: NewThing): Change | null {
  const [tool, id] = [of.tool.trim(), of.id.trim()];
  if (!tool || !id) return null;
  const owners = of.owners
    .split(",")
    .map((owner) => owner.trim())
    .filter(Boolean);
  const told = { title: of.title.trim(), url: of.url.trim(), description: of.description.trim() };
  const said = Object.fromEntries(Object.entries(told).filter(([, text]) => text));
  return {
    route: "edits/create",
    body: { name: `${of.kind}:${tool}:${id}`, ...said, ...(owners.length > 0 ? { owners } : {}) },
  };
}
