import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Button, cutMiddle, Duration, duration, exactTime, signalOf, StateDot, useNow } from "@/parts";
import { partsOf } from "../shared/names";
import type { RunEntity, RunItem } from "../shared/records";
import styles from "./run.module.css";
import { waterfallOf } from "./waterfall";

const FIRST = 40;

/** The parts of a run along time. */
export function WaterfallChart({ run, parts }: { run: RunEntity; parts: readonly RunItem[] }) {
  const words = useTranslations("pages.run");
  const locale = useLocale();
  const now = useNow();
  const [all, setAll] = useState(false);
  const found = waterfallOf(run, parts, now);
  if (!found) return <p className="mute">{words("noTimes")}</p>;
  const shown = all ? found.rows : found.rows.slice(0, FIRST);
  return (
    <div className={styles.waterfall}>
      <div className={styles.axis} aria-hidden="true">
        <span />
        <span className={styles.ends}>
          <span>{exactTime(found.begin, locale)}</span>
          <span>{`+${duration(found.end - found.begin, locale)}`}</span>
        </span>
        <span />
      </div>
      <ul>
        {shown.map(({ item, left, width, ended }) => (
          <li key={item.key} className={styles.part}>
            <span className="row">
              <StateDot state={item.status} />
              <Link to="/run" search={{ id: item.id } as never} title={cutMiddle(nameOf(item), 300)}>
                <bdi>{cutMiddle(nameOf(item), 34)}</bdi>
              </Link>
            </span>
            <span className={styles.track}>
              {left !== null && (
                <span
                  className={`${styles.span} ${styles[signalOf(item.status)]} ${ended ? "" : styles.open}`}
                  style={{ left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` }}
                />
              )}
            </span>
            <span className="number">
              <Duration milliseconds={item.duration_ms} />
            </span>
          </li>
        ))}
      </ul>
      {shown.length < found.rows.length && (
        <Button look="bare" onClick={() => setAll(true)}>
          {words("allParts", { count: found.rows.length })}
        </Button>
      )}
    </div>
  );
}

function nameOf(item: RunItem): string {
  return item.name || item.description || (item.job ? partsOf(item.job).title : item.run);
}
