import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { cutEnd, cutMiddle, Icon, Sql, StateDot, Time } from "@/parts";
import { Checks } from "../shared/Checks";
import { checksOf } from "../shared/checks";
import { Facts, Part } from "../shared/Facts";
import { partsOf, routeOf } from "../shared/names";
import type { RunEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { safeAddress } from "./address";
import styles from "./run.module.css";
import { StateLine } from "./StateLine";
import { UsedData } from "./UsedData";
import { WaterfallChart } from "./WaterfallChart";

/** How a run went: its states as a line, why it failed, its parts along time, and what it read and wrote. */
export function Overview({ run }: { run: RunEntity }) {
  const words = useTranslations("pages.run");
  const before = useAnswer<RunEntity>(routeOf("runs", run.previous ?? ""), {}, { when: Boolean(run.previous) });
  const checks = checksOf(run.assertions);
  const logs = [run.running_log_url, run.persistent_log_url].flatMap((one) => {
    const address = safeAddress(one);
    return address ? [address] : [];
  });
  const parts = [...run.children, ...run.operations];
  return (
    <>
      {run.parents.length > 0 && (
        <nav className={styles.parents} aria-label={words("parents")}>
          {[...run.parents].reverse().map((parent) => (
            <Fragment key={parent.key}>
              <span className="row">
                <StateDot state={parent.status} />
                <Link to="/run" search={{ id: parent.id } as never}>
                  <bdi>{cutMiddle(parent.job ? partsOf(parent.job).title : parent.run.slice(0, 8), 40)}</bdi>
                </Link>
              </span>
              <Icon name="right" size={12} />
            </Fragment>
          ))}
          <span>{words("this")}</span>
        </nav>
      )}
      {run.end_reason && (
        <Part
          title={words(run.status === "FAILED" || run.status === "KILLED" ? "whyFailed" : "reason")}
          about={
            run.end_reason_of && (
              <span className="row">
                {words("reasonOf")} <Thing id={run.end_reason_of} />
              </span>
            )
          }
        >
          <pre className={`${shared.raw} ${styles.reason}`} tabIndex={0}>
            <bdi>{run.end_reason}</bdi>
          </pre>
        </Part>
      )}
      <Part title={words("states")}>
        <div className={shared.box}>
          <StateLine run={run} />
        </div>
      </Part>
      {parts.length > 0 && (
        <Part title={words("waterfall")} about={words("parts", { count: run.parts_total, shown: parts.length })}>
          <div className={shared.box}>
            <WaterfallChart run={run} parts={parts} />
          </div>
        </Part>
      )}
      <UsedData run={run} before={before.data ?? null} />
      {checks.length > 0 && (
        <Part title={words("checks")}>
          <Checks checks={checks} />
        </Part>
      )}
      <div className={shared.columns}>
        <Part title={words("about")}>
          <div className={shared.box}>
            <Facts
              of={[
                [
                  words("id"),
                  <bdi key="id" className="mono">
                    {run.run}
                  </bdi>,
                ],
                [words("sentId"), run.sent_id && <bdi className="mono">{cutMiddle(run.sent_id, 120)}</bdi>],
                [words("externalId"), run.external_id && <bdi className="mono">{cutMiddle(run.external_id, 120)}</bdi>],
                [words("attempt"), run.attempt],
                [words("startReason"), run.start_reason && cutEnd(run.start_reason, 200)],
                [words("group"), run.group],
                [words("description"), run.description && cutMiddle(run.description, 400)],
                [words("expectedStart"), run.expected_start_at && <Time at={run.expected_start_at} />],
                [words("expectedEnd"), run.expected_end_at && <Time at={run.expected_end_at} />],
                [words("tags"), run.tags.length > 0 && cutMiddle(run.tags.join(", "), 400)],
              ]}
            />
          </div>
        </Part>
        <Part title={words("logs")}>
          <div className={shared.box}>
            {logs.length === 0 ? (
              <span className="mute">{words("noLogs")}</span>
            ) : (
              <ul className={shared.lines}>
                {logs.map((address) => (
                  <li key={address}>
                    <a href={address} target="_blank" rel="noreferrer noopener">
                      <bdi>{cutMiddle(address, 90)}</bdi>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </div>
        </Part>
      </div>
      {run.sql && (
        <Part title={words("sql")}>
          <Sql statement={run.sql} />
        </Part>
      )}
    </>
  );
}
