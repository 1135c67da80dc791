import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { everyOf } from "@/pages/shared/rhythm";
import { Thing } from "@/pages/shared/Thing";
import { cutMiddle, Duration, StateDot, Time } from "@/parts";
import { Nothing } from "./FailedBox";
import type { OverdueList } from "./Home";
import styles from "./home.module.css";
import { More } from "./More";

const LISTED = 4;

/** Datasets that should have been written by now and were not. */
export function OverdueBox({ list }: { list: OverdueList }) {
  const words = useTranslations("home.late");
  const [all, setAll] = useState(false);
  if (list.items.length === 0) return <Nothing text={words("none")} />;
  const shown = all ? list.items : list.items.slice(0, LISTED);
  return (
    <>
      <ul className={styles.list}>
        {shown.map((item) => (
          <li key={item.dataset.key} className={styles.item}>
            {item.reason === "failed" ? (
              <StateDot state="FAILED" />
            ) : item.reason === "running" ? (
              <StateDot state="STARTED" />
            ) : (
              <StateDot signal="stale" />
            )}
            <span className={styles.what}>
              <span className="row">
                <Thing id={item.dataset.id} most={40} />
              </span>
              <span className={styles.feeds}>
                <span className="mute">
                  {words("usual", { every: everyOf(item.every_ms).count, unit: everyOf(item.every_ms).unit })}
                </span>
                <Link to="/run" search={{ id: item.run } as never}>
                  <bdi>{words(`reason.${item.reason}`, { job: cutMiddle(item.job.title, 30) })}</bdi>
                </Link>
                {item.last_written && (
                  <span className="mute">
                    {words("last")} <Time at={item.last_written} />
                  </span>
                )}
              </span>
            </span>
            <span className={styles.lateness}>
              <Duration milliseconds={item.late_ms} />
            </span>
          </li>
        ))}
      </ul>
      {list.total > shown.length && <More count={list.total - shown.length} onAll={all ? null : () => setAll(true)} />}
    </>
  );
}
