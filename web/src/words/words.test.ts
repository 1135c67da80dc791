import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import { describe, expect, it } from "vitest";
import { LOCALES, preferredLocale } from "./locales";
import { loadWords } from "./Words";

const SOURCES = join(import.meta.dirname, "..");

function flat(node: object, start = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === "string") found.set(start + name, value);
    else for (const [inner, text] of flat(value, `${start}${name}.`)) found.set(inner, text);
  }
  return found;
}

type Part = ReturnType<typeof parse>[number];

/** Arguments of a message with their kind, and the tags in it: what every language must share. */
function argumentsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (part.type === TYPE.argument) return [part.value];
    if (part.type === TYPE.tag) return [`<${part.value}>`, ...argumentsOf(part.children)];
    if (part.type === TYPE.plural || part.type === TYPE.select)
      return [part.value, ...Object.values(part.options).flatMap((option) => argumentsOf(option.value))];
    return "value" in part && part.type !== TYPE.literal ? [part.value] : [];
  });
}

function pluralsOf(parts: readonly Part[]): string[][] {
  return parts.flatMap((part) => {
    if (part.type === TYPE.plural)
      return [Object.keys(part.options), ...Object.values(part.options).flatMap((one) => pluralsOf(one.value))];
    if (part.type === TYPE.select) return Object.values(part.options).flatMap((one) => pluralsOf(one.value));
    return part.type === TYPE.tag ? pluralsOf(part.children) : [];
  });
}

const words = new Map(
  await Promise.all(LOCALES.map(async (locale) => [locale, flat(await loadWords(locale))] as const)),
);
const english = words.get("en") ?? new Map<string, string>();

describe.each(LOCALES)("the words in %s", (locale) => {
  const own = words.get(locale) ?? new Map<string, string>();

  it("are the same ones as in English", () => {
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("say something, with the same arguments as in English", () => {
    for (const [name, text] of own) {
      expect(text.trim(), name).not.toBe("");
      const wanted = new Set(argumentsOf(parse(english.get(name) ?? "")));
      expect(new Set(argumentsOf(parse(text))), name).toEqual(wanted);
    }
  });

  it("have every form of number that the language has", () => {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    for (const [name, text] of own)
      for (const has of pluralsOf(parse(text)))
        expect(has.filter((form) => !form.startsWith("=")).sort(), name).toEqual([...forms].sort());
  });

  it("are no copies of the English sentences", () => {
    if (locale === "en") return;
    const copied = [...own].filter(([name, text]) => text === english.get(name) && text.split(" ").length > 3);
    expect(copied).toEqual([]);
  });
});

function sources(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "words" ? "" : sources(path);
      return /\.tsx?$/.test(entry.name) && !entry.name.includes(".test.") ? readFileSync(path, "utf8") : "";
    })
    .join("\n");
}

it("no word is left that nothing uses", () => {
  const text = sources(SOURCES);
  const named = new Set(Array.from(text.matchAll(/["'`.](\w+)(?=["'`])/g), ([, word]) => word));
  const groups = new Map<string, boolean>();
  const isUsedAsGroup = (group: string) => {
    const known = groups.get(group);
    if (known !== undefined) return known;
    const isUsed =
      text.includes(`${group}.\${`) || new RegExp(`(Translations|Words)\\("[\\w.]*${group}"\\)`).test(text);
    groups.set(group, isUsed);
    return isUsed;
  };
  const unused = [...english.keys()].filter((name) => {
    const [group = "", last = ""] = name.split(".").slice(-2);
    return !named.has(last || group) && !isUsedAsGroup(group);
  });
  expect(unused).toEqual([]);
});

it("the language is the chosen one, else the browser's first that there is, else English", () => {
  expect(preferredLocale("de", ["zh-CN"])).toBe("de");
  expect(preferredLocale("xx", ["fr", "ru-RU", "de"])).toBe("ru");
  expect(preferredLocale(null, ["fr"])).toBe("en");
});
