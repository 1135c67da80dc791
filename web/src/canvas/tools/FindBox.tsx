import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, cutMiddle } from "@/parts";
import type { Picture } from "../records";
import { found } from "./find";
import styles from "./tools.module.css";

/** Finds cards and columns of the picture as one types; Enter goes to the next one, Esc leaves. */
export function FindBox({
  picture,
  onShow,
  onColumn,
  onClose,
}: {
  picture: Picture;
  onShow: (key: string) => void;
  onColumn: (key: string, column: string) => void;
  onClose: () => void;
}) {
  const words = useTranslations("canvas.tools");
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const hits = useMemo(() => found(picture.nodes, typed), [picture, typed]);
  const go = (place: number) => {
    const hit = hits[place];
    setAt(place);
    if (hit?.column) onColumn(hit.key, hit.column);
    else if (hit) onShow(hit.key);
  };
  return (
    <div className={styles.find} role="search">
      <input
        className={styles.input}
        autoFocus // eslint-disable-line jsx-a11y/no-autofocus -- it is opened to be typed into
        value={typed}
        maxLength={200}
        placeholder={words("findHere")}
        aria-label={words("findHere")}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          }
          if (event.key === "Enter" && hits.length > 0) {
            event.preventDefault();
            go(event.shiftKey ? (at + hits.length - 1) % hits.length : at);
            if (!event.shiftKey) setAt((at + 1) % hits.length);
          }
        }}
      />
      <Button look="bare" icon="close" label={words("findClose")} onClick={onClose} />
      <span className="hidden-visually" role="status">
        {typed ? words("hits", { count: hits.length }) : ""}
      </span>
      {typed && (
        <ul className={styles.hits}>
          {hits.slice(0, 12).map((hit, place) => (
            <li key={`${hit.key} ${hit.column ?? ""}`}>
              <button
                type="button"
                className={`${styles.hit} ${place === at ? styles.here : ""}`}
                onClick={() => go(place)}
              >
                <bdi>{cutMiddle(hit.column ? `${hit.title}.${hit.column}` : hit.title, 44)}</bdi>
                <bdi className="mute">{cutMiddle(hit.rest, 30)}</bdi>
              </button>
            </li>
          ))}
          {hits.length === 0 && <li className={styles.none}>{words("findNone")}</li>}
          {hits.length > 12 && <li className={styles.none}>{words("hits", { count: hits.length })}</li>}
        </ul>
      )}
    </div>
  );
}
