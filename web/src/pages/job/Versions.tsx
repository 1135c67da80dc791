import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Badge, Button, Empty, Skeleton, Time } from "@/parts";
import { useMoment } from "@/view";
import dataset from "../dataset/dataset.module.css";
import { routeOf } from "../shared/names";
import type { JobEntity, StatementEntity } from "../shared/records";
import { Thing } from "../shared/Thing";
import { sqlDifference, versionLines } from "./versions";

/** What a job did, newest first, each time as the difference from before: what it reads and writes, and its SQL. */
export function Versions({ job }: { job: JobEntity }) {
  const words = useTranslations("pages.job.version");
  const moment = useMoment();
  const ordered = [...job.versions]
    .sort((a, b) => Date.parse(a.first_seen ?? "") - Date.parse(b.first_seen ?? ""))
    .filter(({ first_seen }) => !moment || (first_seen !== null && Date.parse(first_seen) <= Date.parse(moment)));
  if (ordered.length === 0) return <Empty title={words("none")}>{words("noneText")}</Empty>;
  const newest = [...ordered].sort((a, b) => Date.parse(b.last_seen ?? "") - Date.parse(a.last_seen ?? ""))[0];
  return (
    <>
      {job.versions_total > job.versions.length && (
        <p className="mute">{words("newestOnly", { shown: job.versions.length, total: job.versions_total })}</p>
      )}
      <ol className={dataset.versions}>
        {ordered
          .map((version, place) => ({ version, before: ordered[place - 1] }))
          .reverse()
          .map(({ version, before }) => {
            const lines = versionLines(version, before);
            return (
              <li key={version.id} className={dataset.version}>
                <header className="row-wrap">
                  <h2>
                    <Time at={version.first_seen} look="exact" />
                  </h2>
                  {version.id === newest?.id && <Badge tone="accent">{words("newest")}</Badge>}
                  <span className="mute">
                    {words("flows", { reads: version.inputs.length, writes: version.outputs.length })}
                  </span>
                  <span className="mute">
                    {words.rich("until", { when: () => <Time key="last" at={version.last_seen} /> })}
                  </span>
                </header>
                {!before ? (
                  <p className="mute">{words("first")}</p>
                ) : lines.length === 0 && version.sql === before.sql ? (
                  <p className="mute">{words("same")}</p>
                ) : (
                  <ul className={dataset.lines}>
                    {lines.slice(0, 60).map((line) => (
                      <li key={`${line.role} ${line.change} ${line.dataset}`} className={dataset[line.change]}>
                        <span className={dataset.sign} aria-hidden="true">
                          {line.change === "added" ? "+" : "−"}
                        </span>
                        <span className="mute">{words(`${line.role}.${line.change}`)}</span>
                        <Thing id={line.dataset} />
                      </li>
                    ))}
                  </ul>
                )}
                {version.sql && <SqlOf now={version.sql} before={before?.sql ?? null} />}
              </li>
            );
          })}
      </ol>
    </>
  );
}

function SqlOf({ now, before }: { now: string; before: string | null }) {
  const words = useTranslations("pages.job.version");
  const [open, setOpen] = useState(false);
  const hasChanged = before !== null && before !== now;
  return (
    <div className="stack">
      <span className="row">
        <Link to="/statement" search={{ id: now } as never}>
          {words("statement")}
        </Link>
        {hasChanged && (
          <Button look="bare" icon={open ? "down" : "right"} aria-expanded={open} onClick={() => setOpen(!open)}>
            {words("sqlChanged")}
          </Button>
        )}
      </span>
      {open && hasChanged && <SqlDifference now={now} before={before} />}
    </div>
  );
}

function SqlDifference({ now, before }: { now: string; before: string }) {
  const words = useTranslations("pages.job.version");
  const new_ = useAnswer<StatementEntity>(routeOf("sql", now));
  const old = useAnswer<StatementEntity>(routeOf("sql", before));
  if (!new_.data || !old.data) return <Skeleton lines={4} />;
  return (
    <pre className={dataset.sqlLines} tabIndex={0} aria-label={words("sqlChanged")}>
      {sqlDifference(old.data.text, new_.data.text).map(({ change, text }, place) => (
        <code key={`${place} ${change}`} className={change === "same" ? undefined : dataset[change]}>
          {`${change === "added" ? "+" : change === "removed" ? "−" : " "} ${text}\n`}
        </code>
      ))}
    </pre>
  );
}
