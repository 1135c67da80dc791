import { useEffect, useMemo, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Button, cutMiddle, exactTime, Menu, useNow } from "@/parts";
import { useFrameView } from "@/view";
import { useChangeSentence } from "@/pages/changes/useChangeSentence";
import type { Picture } from "../records";
import { DAYS } from "../view";
import { momentBeside, momentsOf } from "./moments";
import styles from "./tools.module.css";

const DAY = 86_400_000;
const WAIT = 220;

/** Goes back in time: a slider over some days, with a mark at each moment at which something of the picture changed. */
export function Slider({ picture, days, onDays }: { picture: Picture; days: number; onDays: (days: number) => void }) {
  const words = useTranslations("canvas.slider");
  const locale = useLocale();
  const present = useNow();
  const [{ as_of: moment }, setFrame] = useFrameView();
  const sentence = useChangeSentence();
  const until = Math.ceil(present / 300_000) * 300_000;
  const since = until - days * DAY;
  const { data } = useAnswer("/api/v2/changes", { since: new Date(since).toISOString(), limit: 1000 });
  const keys = useMemo(() => new Set([...picture.nodes, ...picture.jobs].map(({ key }) => key)), [picture]);
  const moments = useMemo(() => momentsOf(data?.items ?? [], keys, (days * DAY) / 300), [data, keys, days]);
  const chosen = moment ? Date.parse(moment) : null;
  const [dragged, setDragged] = useState<number | null>(null);
  const shown = dragged ?? chosen ?? until;
  const go = (at: number | null) => {
    setDragged(null);
    setFrame({ as_of: at === null || at >= until ? null : new Date(at).toISOString() }, { push: true });
  };
  useEffect(() => {
    if (dragged === null) return;
    const waiting = setTimeout(() => go(dragged), WAIT);
    return () => clearTimeout(waiting);
  });
  const place = (at: number) => `${(100 * Math.min(1, Math.max(0, (at - since) / (until - since)))).toFixed(3)}%`;
  const here = moments.find(({ at }) => at === chosen);
  return (
    <section className={styles.slider} aria-label={words("label")}>
      <Menu
        align="start"
        label={words("days")}
        button={{ look: "bare" }}
        items={DAYS.map((count) => ({
          id: String(count),
          title: words("span", { count }),
          chosen: count === days,
          onChoose: () => onDays(count),
        }))}
      >
        {words("span", { count: days })}
      </Menu>
      <Button
        look="bare"
        icon="left"
        label={words("before")}
        disabled={moments.length === 0}
        onClick={() => go(momentBeside(moments, chosen, false))}
      />
      <span className={styles.track}>
        {moments.map(({ at, changes }) => (
          <button
            key={at}
            type="button"
            tabIndex={-1}
            aria-hidden="true"
            className={`${styles.tick} ${changes.some(({ kind }) => kind === "failed") ? styles.bad : ""}`}
            style={{ left: place(at) }}
            title={[
              exactTime(at, locale),
              ...changes.slice(0, 4).map((change) => cutMiddle(sentence(change), 140)),
            ].join("\n")}
            onClick={() => go(at)}
          />
        ))}
        <input
          type="range"
          className={styles.range}
          min={since}
          max={until}
          step={60_000}
          value={Math.max(since, shown)}
          aria-label={words("moment")}
          aria-valuetext={shown >= until ? words("now") : exactTime(shown, locale)}
          onChange={(event) => setDragged(Number(event.target.value))}
        />
      </span>
      <Button
        look="bare"
        icon="right"
        label={words("after")}
        disabled={chosen === null}
        onClick={() => go(momentBeside(moments, chosen, true))}
      />
      <span className={styles.moment} aria-live="polite" title={here ? sentence(here.changes[0] as never) : undefined}>
        {shown >= until
          ? words("now")
          : new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(shown)}
      </span>
    </section>
  );
}
