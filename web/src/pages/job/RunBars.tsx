import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { duration, exactTime, type Signal, signalOf, UNKNOWN } from "@/parts";
import type { RunItem } from "../shared/records";
import styles from "./job.module.css";
import { runBars, timeOf, usualDuration } from "./runBars";

const HEIGHT = 96;

/** Runs as bars: height is duration, colour and shape of the top are the state. Arrow keys walk, Enter opens. */
export function RunBars({ runs }: { runs: readonly RunItem[] }) {
  const words = useTranslations("pages.job.bars");
  const state = useTranslations("parts.state");
  const locale = useLocale();
  const navigate = useNavigate();
  const { bars, most } = useMemo(() => runBars(runs), [runs]);
  const usual = useMemo(() => usualDuration(runs), [runs]);
  const [at, setAt] = useState(bars.length - 1);
  const list = useRef<HTMLDivElement>(null);
  const shown = bars[Math.min(at, bars.length - 1)]?.run;
  const open = (run: RunItem) => void navigate({ to: "/run", search: { id: run.id } as never });
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 };
    const next = steps[event.key];
    if (next === undefined || bars[next] === undefined) return;
    event.preventDefault();
    setAt(next);
    list.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  const wordOf = (run: RunItem) => (run.status === "KILLED" ? state("killed") : state(signalOf(run.status)));
  const lasted = (run: RunItem) => (run.duration_ms === null ? UNKNOWN : duration(run.duration_ms, locale));
  return (
    <figure className={styles.bars}>
      <div className={styles.scale}>
        <span>{duration(most, locale)}</span>
        <span>{duration(0, locale)}</span>
      </div>
      <div
        ref={list}
        role="group"
        aria-label={words("label", { count: bars.length })}
        className={styles.row}
        style={{ height: HEIGHT + 12 }}
        onKeyDown={press}
      >
        {usual !== null && usual <= most && (
          <span className={styles.usual} style={{ bottom: (usual / most) * HEIGHT }} aria-hidden="true" />
        )}
        {bars.map(({ run, height, known }, place) => {
          const signal = signalOf(run.status);
          return (
            <button
              key={run.key}
              type="button"
              tabIndex={place === Math.min(at, bars.length - 1) ? 0 : -1}
              className={`${styles.bar} ${styles[signal]} ${known ? "" : styles.open}`}
              aria-label={`${wordOf(run)}, ${exactTime(timeOf(run), locale)}, ${lasted(run)}`}
              onPointerEnter={() => setAt(place)}
              onFocus={() => setAt(place)}
              onClick={() => open(run)}
            >
              <span className={styles.column} style={{ height: height * HEIGHT }}>
                <Top signal={signal} />
              </span>
            </button>
          );
        })}
      </div>
      <figcaption className={styles.caption}>
        {shown && (
          <>
            <span>{exactTime(timeOf(shown), locale)}</span>
            <span>{wordOf(shown)}</span>
            <span>{lasted(shown)}</span>
            {shown.end_reason && <bdi className={styles.reason}>{shown.end_reason.slice(0, 160)}</bdi>}
          </>
        )}
        {usual !== null && <span className="push">{words("usual", { duration: duration(usual, locale) })}</span>}
      </figcaption>
    </figure>
  );
}

/** What tells the states apart without colour: a diamond for failed, an open end for running, a dash for unknown. */
function Top({ signal }: { signal: Signal }) {
  if (signal === "ok") return null;
  return (
    <svg className={styles.top} width={10} height={10} viewBox="0 0 10 10" aria-hidden="true">
      {signal === "failed" && <path d="M5 0l5 5-5 5-5-5z" />}
      {signal === "running" && <path d="M1 9V5a4 4 0 1 1 4 4z" />}
      {(signal === "unknown" || signal === "stale") && <path d="M1 4h8v2H1z" />}
    </svg>
  );
}
