import { useCallback } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { components } from "@/api";
import { cutEnd, cutMiddle } from "@/parts";

type ChangeItem = components["schemas"]["ChangeItem"];

/** What a change did, as a sentence in plain text; its words are in `changes.said`, by code. */
export function useChangeSentence(): (change: ChangeItem) => string {
  const words = useTranslations("changes.said");
  const locale = useLocale();
  return useCallback((change) => words(change.what.code, valuesOf(change, locale)), [words, locale]);
}

/** The arguments of a sentence about a change: all that any of them takes. */
export function valuesOf({ of, what, cause }: ChangeItem, locale: string) {
  const given = what.arguments;
  const text = (name: string, most = 80) => cutMiddle(String(given[name] ?? ""), most);
  const count = (name: string) => (typeof given[name] === "number" ? (given[name] as number) : 0);
  const list = (name: string) =>
    new Intl.ListFormat(locale).format(text(name, 160).split(", ").filter(Boolean).slice(0, 4));
  return {
    title: cutMiddle(of.title, 60),
    added: count("added"),
    removed: count("removed"),
    changed: count("changed"),
    columns: text("columns", 120),
    reads: list("reads"),
    writes: list("writes"),
    hasReads: count("reads_total") > 0 ? "yes" : "no",
    hasWrites: count("writes_total") > 0 ? "yes" : "no",
    from: text("from"),
    reason: cutEnd(String(given["reason"] ?? ""), 240),
    hasReason: given["reason"] ? "yes" : "no",
    column: text("column"),
    hasColumn: given["column"] ? "yes" : "no",
    kind: text("kind"),
    name: text("name"),
    value: text("value", 120),
    actor: cutMiddle(cause.actor ?? "", 40),
    hasActor: cause.actor ? "yes" : "no",
  };
}
