/** What an id says: kind, namespace, name, column; and the part of a name by which people know a thing. */
export interface Parts {
  kind: string;
  namespace: string | null;
  name: string;
  column: string | null;
  /** The part that tells it apart. */
  title: string;
  /** The rest of the name and where it is. */
  rest: string;
}

const KINDS = new Set(["dataset", "column", "job", "run", "operation", "location", "user", "sql", "tag"]);
/** A namespace that is an address (`scheme://host:port`, several hosts with commas), then the name. */
const ADDRESS = /^([A-Za-z][\w+.-]*:\/\/(?:[^:]|:\d+(?=[:,]))*):([^]*)$/;
/** A namespace of an overlay, then the id of a version: exact, whatever characters it has. */
const OVERLAY = /^(overlay:[^:]*):([^]*)$/;
/** Parts of job names that engines write and nobody chose. */
const TOOL_MADE = /^(?:execute_.*|adaptive_spark_plan|.*_(?:command|exec))$/;

export function partsOf(id: string): Parts {
  const [, before = "", after = id] = /^([a-z]+):([^]*)$/.exec(id) ?? [];
  const kind = KINDS.has(before) ? before : "other";
  const rest = kind === "other" ? id : after;
  const [, overlay, version] = kind === "dataset" || kind === "job" ? (OVERLAY.exec(rest) ?? []) : [];
  if (overlay !== undefined && version !== undefined)
    return { kind, namespace: overlay, name: version, column: null, title: version, rest: overlay };
  if (["dataset", "column", "job"].includes(kind)) {
    const [, namespace = "", named = rest] = ADDRESS.exec(rest) ?? /^([^:]*):([^]*)$/.exec(rest) ?? [];
    const cut = kind === "job" ? -1 : named.indexOf("#");
    const name = cut < 0 ? named : named.slice(0, cut);
    const column = cut < 0 ? null : named.slice(cut + 1);
    const shown = titleOf(name, kind);
    if (column === null) return { kind, namespace, name, column, ...joined(shown, namespace) };
    return {
      kind: "column",
      namespace,
      name,
      column,
      title: column ? `${shown.title}.${column}` : shown.title, // all rows have no column
      rest: joined(shown, namespace).rest,
    };
  }
  return { kind, namespace: null, name: rest, column: null, title: rest, rest: "" };
}

/** Whether a namespace is that of an overlay. */
export function isOverlay(namespace: string): boolean {
  return namespace.startsWith("overlay:");
}

/** The id of the dataset that a column belongs to. */
export function datasetOf(id: string): string {
  const { namespace, name } = partsOf(id);
  return `dataset:${namespace ?? ""}:${name}`;
}

/** The last part of a name and what stands before it; parts that a tool made are left out of both. */
export function titleOf(name: string, kind = "dataset"): { title: string; rest: string } {
  const marks = kind === "job" ? /[./]/ : name.includes("/") ? /\// : /\./;
  const parts = name.split(marks).filter(Boolean);
  const own = kind === "job" && parts.length > 1 ? parts.filter((part) => !TOOL_MADE.test(part)) : parts;
  const used = own.length > 0 ? own : parts;
  const title = used.at(-1) ?? name;
  return { title, rest: used.slice(0, -1).join(name.includes("/") && kind !== "job" ? "/" : ".") };
}

function joined(shown: { title: string; rest: string }, namespace: string): { title: string; rest: string } {
  return { title: shown.title, rest: [shown.rest, namespace].filter(Boolean).join(" · ") };
}

/** Titles of several things that differ from each other: each with as much of what stands before it as it takes. */
export function toldApart(ids: readonly string[]): string[] {
  const all = ids.map((id) => {
    const parts = partsOf(id);
    const mark = parts.name.includes("/") ? "/" : ".";
    return {
      ...parts,
      mark,
      before: parts.rest.split(" · ")[0] === parts.namespace ? [] : parts.name.split(mark).slice(0, -1),
    };
  });
  const titled = (at: number, count: number) => {
    const { title, before, mark } = all[at] as (typeof all)[number];
    return [...(count > 0 ? before.slice(-count) : []), title].join(mark);
  };
  return all.map((one, at) => {
    const same = all.flatMap((other, place) =>
      place !== at && ids[place] !== ids[at] && other.title === one.title ? [place] : [],
    );
    for (let count = 0; count < one.before.length; count += 1)
      if (!same.some((place) => titled(place, count) === titled(at, count))) return titled(at, count);
    const whole = titled(at, one.before.length);
    return same.some((place) => titled(place, one.before.length) === whole)
      ? `${whole} · ${one.namespace ?? ""}`
      : whole;
  });
}

/** The path of an entity's route, with its id escaped as a path needs it. */
export function routeOf(list: string, id: string): string {
  const steps = id.split("/");
  const slash = steps.some((step) => step === "." || step === "..") ? "%2F" : "/"; // else the browser would shorten it
  return `/api/v2/${list}/${steps.map(encodeURIComponent).join(slash)}`;
}
