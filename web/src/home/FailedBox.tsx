import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { partsOf, toldApart } from "@/pages/shared/names";
import { Thing } from "@/pages/shared/Thing";
import { Badge, cutEnd, cutMiddle, Icon, StateDot, Time } from "@/parts";
import type { FailureList } from "./Home";
import styles from "./home.module.css";
import { More } from "./More";

const LISTED = 5;

/** Runs that failed, each with what hangs on it. */
export function FailedBox({ list }: { list: FailureList }) {
  const words = useTranslations("home.failed");
  const [all, setAll] = useState(false);
  if (list.items.length === 0) return <Nothing text={words("none")} />;
  const shown = all ? list.items : list.items.slice(0, LISTED);
  return (
    <>
      <ul className={styles.list}>
        {shown.map(({ run, within, recovered, feeds }) => (
          <li key={run.key} className={styles.item}>
            <StateDot state={run.status} />
            <span className={styles.what}>
              <span className="row">
                <Link to="/run" search={{ id: run.id } as never} className={styles.title}>
                  <bdi>{cutMiddle(run.job ? partsOf(run.job).title : (run.name ?? run.run), 44)}</bdi>
                </Link>
                {recovered && <Badge tone="ok">{words("recovered")}</Badge>}
                {within?.job && (
                  <span className="mute">
                    {words("within")} <bdi>{cutMiddle(partsOf(within.job).title, 30)}</bdi>
                  </span>
                )}
              </span>
              {run.end_reason && <bdi className={styles.reason}>{cutEnd(run.end_reason, 220)}</bdi>}
              {feeds && (
                <span className={styles.feeds}>
                  {feeds.datasets + feeds.reports === 0 ? (
                    <span className="mute">{words("feedsNothing")}</span>
                  ) : (
                    <>
                      <span className="mute">
                        {words("feeds", { datasets: feeds.datasets, reports: feeds.reports })}
                      </span>
                      {feeds.nearest.slice(0, 3).map((node, place, shown) => (
                        <Thing
                          key={node.key}
                          id={node.id}
                          title={toldApart(shown.map(({ id }) => id))[place]}
                          rest={false}
                          most={24}
                        />
                      ))}
                    </>
                  )}
                </span>
              )}
            </span>
            <Time at={run.ended_at ?? run.first_seen} />
          </li>
        ))}
      </ul>
      {list.total > shown.length && <More count={list.total - shown.length} onAll={all ? null : () => setAll(true)} />}
    </>
  );
}

/** That all is well, said with a sign and in words. */
export function Nothing({ text }: { text: string }) {
  return (
    <p className={styles.nothing}>
      <Icon name="check" /> {text}
    </p>
  );
}
