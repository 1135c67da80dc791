import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Badge, Button, cutMiddle } from "@/parts";
import shared from "../shared/shared.module.css";
import styles from "./edits.module.css";
import { withTyped } from "./marks";

/** A set of short texts, tags or owners: taken off with a cross, put on by typing and Enter or a comma. */
export function MarksField({
  label,
  value,
  typed,
  known,
  onChange,
  onType,
}: {
  label: string;
  value: readonly string[];
  typed: string;
  /** Offered while typing. */
  known: readonly string[];
  onChange: (value: readonly string[]) => void;
  onType: (typed: string) => void;
}) {
  const words = useTranslations("pages.edits");
  const id = useId();
  const [said, setSaid] = useState("");
  const take = (text: string) => {
    const next = withTyped(value, text);
    onChange(next);
    onType("");
    setSaid(words("count", { count: next.length }));
  };
  return (
    <div className="stack">
      <div className={styles.marks}>
        {value.length === 0 && <span className="mute">{words("noneYet")}</span>}
        {value.map((one) => (
          <span key={one} className={styles.mark}>
            <Badge title={one}>{cutMiddle(one, 40)}</Badge>
            <Button
              look="bare"
              icon="close"
              label={words("takeOff", { name: cutMiddle(one, 60) })}
              onClick={() => onChange(value.filter((other) => other !== one))}
            />
          </span>
        ))}
      </div>
      <label className={shared.label} htmlFor={id}>
        {label}
      </label>
      <span className="row">
        <input
          id={id}
          className={`${shared.input} ${styles.wide}`}
          value={typed}
          maxLength={200}
          list={`${id}-known`}
          autoComplete="off"
          onChange={(event) =>
            event.target.value.endsWith(",") ? take(event.target.value) : onType(event.target.value)
          }
          onKeyDown={(event) => {
            if (event.key !== "Enter" || typed.trim() === "") return;
            event.preventDefault();
            take(typed);
          }}
        />
        <Button icon="plus" disabled={typed.trim() === ""} onClick={() => take(typed)}>
          {words("add")}
        </Button>
      </span>
      <datalist id={`${id}-known`}>
        {known.slice(0, 200).map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <span className="hidden-visually" role="status">
        {said}
      </span>
    </div>
  );
}
