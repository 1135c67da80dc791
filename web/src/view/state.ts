/** View state that lives in the URL: a field says how it is read from text and written back; defaults are left out. */

export interface Field<T> {
  read(texts: readonly string[]): T;
  write(value: T): readonly string[];
}
export type Fields = Record<string, Field<unknown>>;
export type ValuesOf<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export type Search = Record<string, string | string[]>;

export function text(fallback = ""): Field<string> {
  return { read: ([one]) => one ?? fallback, write: (value) => (value === fallback ? [] : [value]) };
}

/** A text that may be missing. */
export function optional(): Field<string | null> {
  return { read: ([one]) => one || null, write: (value) => (value ? [value] : []) };
}

export function whole(fallback: number, least: number, most: number): Field<number> {
  return {
    read: ([one]) => {
      const value = one === undefined ? Number.NaN : Number(one);
      return Number.isInteger(value) ? Math.min(most, Math.max(least, value)) : fallback;
    },
    write: (value) => (value === fallback ? [] : [String(value)]),
  };
}

export function flag(fallback = false): Field<boolean> {
  return {
    read: ([one]) => (one === "true" ? true : one === "false" ? false : fallback),
    write: (value) => (value === fallback ? [] : [String(value)]),
  };
}

/** One of a few words; anything else is the first of them, or the fallback. */
export function oneOf<const T extends string>(words: readonly [T, ...T[]], fallback: NoInfer<T> = words[0]): Field<T> {
  return {
    read: ([one]) => words.find((word) => word === one) ?? fallback,
    write: (value) => (value === fallback ? [] : [value]),
  };
}

const MOST_VALUES = 200;

export function list(): Field<readonly string[]> {
  return { read: (texts) => texts.filter(Boolean).slice(0, MOST_VALUES), write: (value) => value };
}

export function readView<F extends Fields>(fields: F, search: Search): ValuesOf<F> {
  const found: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = search[name];
    found[name] = field.read(value === undefined ? [] : Array.isArray(value) ? value : [value]);
  }
  return found as ValuesOf<F>;
}

/** The search with these values put in; what is not one of the fields stays as it was. */
export function writeView<F extends Fields>(fields: F, search: Search, values: Partial<ValuesOf<F>>): Search {
  const next: Search = { ...search };
  for (const [name, value] of Object.entries(values)) {
    const texts = fields[name]?.write(value) ?? [];
    if (texts.length === 0) delete next[name];
    else next[name] = texts.length === 1 ? (texts[0] as string) : [...texts];
  }
  return next;
}

/** `?a=1&b=x&b=y` as it stands: no value is taken for JSON. */
export function parseSearch(query: string): Search {
  const found: Search = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const before = found[name];
    found[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return found;
}

export function printSearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  const printed = query.toString();
  return printed ? `?${printed}` : "";
}
