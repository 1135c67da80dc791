import { type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { HitName, kindWord } from "@/frame/SearchBox";
import { cutMiddle } from "@/parts";
import { partsOf } from "./names";
import { picksOf } from "./picking";
import styles from "./Picker.module.css";

const KINDS = ["dataset", "column", "job"] as const;
const MOST = 8;

/** Picks a dataset, column or job by searching for it; shows what is picked. */
export function Picker({
  label,
  value,
  onPick,
  kinds = KINDS,
}: {
  label: string;
  value: string | null;
  onPick: (id: string) => void;
  kinds?: readonly string[];
}) {
  const words = useTranslations("frame");
  const id = useId();
  const parts = value ? partsOf(value) : null;
  const shown = parts ? [parts.title, parts.rest].filter(Boolean).join(" · ") : "";
  const [typed, setTyped] = useState<string | null>(null);
  const [place, setPlace] = useState(0);
  const asked = useDeferredValue((typed ?? "").trim());
  const { data } = useAnswer("/api/v2/search", { q: asked, limit: 20 }, { when: asked.length > 0, keep: true });
  const hits = asked ? picksOf(data?.items ?? [], kinds, MOST) : [];
  const choose = (at: number) => {
    const hit = hits[at];
    setTyped(null);
    if (hit) onPick(hit.id);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") setTyped(null);
    if (event.key === "Enter") choose(place);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step || hits.length === 0) return;
    event.preventDefault();
    setPlace((place + step + hits.length) % hits.length);
  };
  const isOpen = typed !== null && hits.length > 0;
  return (
    <span className={styles.picker}>
      <input
        className={styles.input}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen ? `${id}-${place}` : undefined}
        placeholder={label}
        maxLength={400}
        value={typed ?? shown}
        title={value ?? undefined}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setTyped(event.target.value);
          setPlace(0);
        }}
        onKeyDown={press}
        onBlur={() => setTimeout(() => setTyped(null), 150)}
      />
      {isOpen && (
        <div role="listbox" id={`${id}-list`} aria-label={label} className={styles.list}>
          {hits.map((hit, at) => (
            <div
              key={hit.id}
              id={`${id}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === place}
              className={styles.option}
              onPointerMove={() => setPlace(at)}
              onClick={() => choose(at)}
            >
              <span className="mute">{words(`kind.${kindWord(hit.kind)}`)}</span>
              {hit.column === null ? (
                <HitName hit={hit.hit} />
              ) : (
                <bdi title={cutMiddle(hit.id, 400)}>
                  <b className="mono">{cutMiddle(partsOf(hit.id).title, 60)}</b>{" "}
                  <span className="mute">{cutMiddle(partsOf(hit.id).rest, 60)}</span>
                </bdi>
              )}
            </div>
          ))}
        </div>
      )}
    </span>
  );
}
