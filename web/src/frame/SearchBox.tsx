import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { cutMiddle, Icon, Marked } from "@/parts";
import { linkTo } from "./links";
import styles from "./SearchBox.module.css";

type Hit = components["schemas"]["SearchHit"];

const SHOWN = 8;
const SETTLED_AFTER = 350;
/** What is typed or pasted of a run leads to its page, with or without `run:`. */
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KINDS = [
  "dataset",
  "job",
  "run",
  "column",
  "user",
  "tag",
  "location",
  "statement",
  "operation",
  "application",
  "chart",
  "dashboard",
  "asset",
] as const;

/** The word of `frame.kind` for a kind as the server writes it. */
export function kindWord(kind: string): (typeof KINDS)[number] | "other" {
  return kind === "sql" ? "statement" : (KINDS.find((known) => known === kind) ?? "other");
}

/** One search box on every page: Ctrl-K or `/` leads into it, arrow keys choose, Enter opens, Esc leaves. */
export function SearchBox() {
  const words = useTranslations("frame");
  const navigate = useNavigate();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState(0);
  const asked = useDeferredValue(typed.trim());
  const settled = useSettled(typed.trim());
  const { data, isFetching, error } = useAnswer(
    "/api/v2/search",
    { q: asked, limit: SHOWN, mode: asked === settled ? "hybrid" : "text" },
    { when: open && asked.length > 0, keep: true },
  );
  const hits: readonly Hit[] = asked ? (data?.items ?? []) : [];
  useShortcut(() => {
    input.current?.focus();
    input.current?.select();
  });
  const leave = () => {
    setOpen(false);
    input.current?.blur();
  };
  const choose = (at: number) => {
    const hit = hits[at];
    leave();
    if (RUN_ID.test(typed.trim()))
      void navigate({
        to: "/run",
        search: ((before: object) => ({ ...keepFrame(before), id: `run:${typed.trim().toLowerCase()}` })) as never,
      });
    else if (hit)
      void navigate({
        ...linkTo({ kind: kindWord(hit.kind), id: hit.id }),
        search: ((before: object) => ({
          ...keepFrame(before),
          ...linkTo({ kind: kindWord(hit.kind), id: hit.id }).search,
        })) as never,
      });
    else if (typed.trim())
      void navigate({
        to: "/search",
        search: ((before: object) => ({ ...keepFrame(before), q: typed.trim() })) as never,
      });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter") choose(place < hits.length ? place : -1);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const count = hits.length + 1;
      setPlace((place + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    }
  };
  const isOpen = open && asked.length > 0;
  const option = (at: number) => `${id}-${at}`;
  return (
    <search className={styles.box}>
      <Icon name="search" />
      <input
        ref={input}
        className={styles.input}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        aria-label={words("search.label")}
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen ? option(place) : undefined}
        placeholder={words("search.label")}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setPlace(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <kbd className={styles.key}>{words("search.key")}</kbd>
      {isOpen && (
        <div className={styles.drop} onPointerDown={(event) => event.preventDefault()}>
          <div id={`${id}-list`} role="listbox" aria-label={words("search.label")}>
            {hits.map((hit, at) => (
              <div
                key={hit.key}
                id={option(at)}
                role="option"
                aria-selected={at === place}
                className={styles.option}
                onPointerMove={() => setPlace(at)}
                onClick={() => choose(at)}
              >
                <span className={styles.kind}>{words(`kind.${kindWord(hit.kind)}`)}</span>
                <HitName hit={hit} />
              </div>
            ))}
            <div
              id={option(hits.length)}
              role="option"
              aria-selected={place === hits.length}
              className={styles.option}
              onPointerMove={() => setPlace(hits.length)}
              onClick={() => choose(-1)}
            >
              <span className={styles.kind} />
              {words("search.all", { typed: cutMiddle(asked, 40) })}
            </div>
          </div>
          {!isFetching && hits.length === 0 && (
            <p className={styles.none}>
              {error ? error.message : words("search.none", { typed: cutMiddle(asked, 40) })}
            </p>
          )}
          <span className="hidden-visually" role="status">
            {words("search.found", { count: data?.total ?? 0 })}
          </span>
        </div>
      )}
    </search>
  );
}

/** The name of a hit with what matched marked, and what matched if it was not the name. */
export function HitName({ hit }: { hit: Hit }) {
  const inName = hit.highlights.find((one) => one.field === "name");
  const other = inName ? undefined : hit.highlights[0];
  return (
    <span className={styles.hit} title={cutMiddle(`${hit.namespace ?? ""} ${hit.name}`, 400)}>
      <span className={styles.name}>
        {inName && hit.name.length <= 80 ? (
          <Marked text={inName.text} marks={inName.marks} />
        ) : (
          <bdi>{cutMiddle(hit.name, 80)}</bdi>
        )}
      </span>
      <bdi className={styles.rest}>
        {other ? <Marked text={other.text.slice(0, 120)} marks={other.marks} /> : hit.namespace}
      </bdi>
    </span>
  );
}

function keepFrame(search: object): Record<string, unknown> {
  const { as_of, tenant } = search as Record<string, unknown>;
  return { ...(as_of ? { as_of } : {}), ...(tenant ? { tenant } : {}) };
}

/** What was typed, once nothing more was for a moment: a model that is asked for its meaning may cost money. */
function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), SETTLED_AFTER);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

function useShortcut(act: () => void): void {
  const known = useRef(act);
  known.current = act;
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [contenteditable]");
      const isWanted =
        (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping);
      if (!isWanted) return;
      event.preventDefault();
      known.current();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
