import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, cutMiddle } from "@/parts";
import { fromLocal, toLocal } from "@/frame/moment";
import { Popover } from "./Popover";
import type { ChangeView, View } from "./Toolbar";
import styles from "./tools.module.css";

const NOISE = ["temporary", "tool"] as const;

/** What is not drawn, and the window of time. */
export function Filters({ view, setView }: { view: View; setView: ChangeView }) {
  const words = useTranslations("canvas.tools");
  const [typed, setTyped] = useState("");
  const patterns = view.hide.filter((one) => !(NOISE as readonly string[]).includes(one));
  const count = view.hide.length + (view.from_time ? 1 : 0) + (view.to_time ? 1 : 0);
  const toggle = (one: string) =>
    setView({ hide: view.hide.includes(one) ? view.hide.filter((other) => other !== one) : [...view.hide, one] });
  const add = (event: FormEvent) => {
    event.preventDefault();
    const pattern = typed.trim();
    if (pattern && !view.hide.includes(pattern)) setView({ hide: [...view.hide, pattern] });
    setTyped("");
  };
  return (
    <Popover
      label={words("filter")}
      button={{ icon: "filter" }}
      text={count > 0 ? `${words("filter")} · ${count}` : words("filter")}
    >
      <fieldset className={styles.fields}>
        <legend>{words("hide")}</legend>
        {NOISE.map((one) => (
          <label key={one} className="row">
            <input type="checkbox" checked={view.hide.includes(one)} onChange={() => toggle(one)} />
            {words(`noise.${one}`)}
          </label>
        ))}
        <form className="row" onSubmit={add}>
          <input
            className={styles.input}
            value={typed}
            maxLength={200}
            placeholder={words("pattern")}
            aria-label={words("pattern")}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" icon="plus" label={words("patternAdd")} disabled={!typed.trim()} />
        </form>
        {patterns.map((one) => (
          <span key={one} className="row">
            <code title={cutMiddle(one, 200)}>{cutMiddle(one, 28)}</code>
            <Button
              look="bare"
              icon="close"
              className="push"
              label={words("patternDrop", { pattern: cutMiddle(one, 40) })}
              onClick={() => toggle(one)}
            />
          </span>
        ))}
      </fieldset>
      <fieldset className={styles.fields}>
        <legend>{words("window")}</legend>
        {(["from_time", "to_time"] as const).map((name) => (
          <label key={name} className={styles.time}>
            {words(name === "from_time" ? "since" : "until")}
            <input
              type="datetime-local"
              className={styles.input}
              value={view[name] ? toLocal(new Date(view[name])) : ""}
              onChange={(event) => setView({ [name]: fromLocal(event.target.value) })}
            />
          </label>
        ))}
        {(view.from_time || view.to_time) && (
          <Button onClick={() => setView({ from_time: null, to_time: null })}>{words("windowOff")}</Button>
        )}
      </fieldset>
    </Popover>
  );
}
