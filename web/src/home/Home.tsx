import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { Page } from "@/frame/Page";
import { FailureNote, Skeleton } from "@/parts";
import { useMoment } from "@/view";
import { ChangesBox } from "./ChangesBox";
import { FailedBox } from "./FailedBox";
import styles from "./home.module.css";
import { IngestLine } from "./IngestLine";
import { LookedBox } from "./LookedBox";
import { OverdueBox } from "./OverdueBox";

export type FailureList = components["schemas"]["FailureList"];
export type OverdueList = components["schemas"]["OverdueList"];

const DAY = 86_400_000;
const ASKED = 100;
const EVERY = 60_000;

/** The state of everything in one sentence, then four short lists, and how ingest is doing. */
export default function Home() {
  const words = useTranslations("home");
  const frame = useTranslations("frame");
  const moment = useMoment();
  const before = (milliseconds: number) =>
    moment ? { since: new Date(Date.parse(moment) - milliseconds).toISOString(), until: moment } : {};
  const asking = { every: EVERY, keep: true };
  const failed = useAnswer("/api/v2/failures", { limit: ASKED, ...before(DAY) }, asking);
  const late = useAnswer("/api/v2/overdue", { limit: ASKED, ...(moment ? { as_of: moment } : {}) }, asking);
  return (
    <Page title={frame("rail.home")} head={<Head failed={failed.data} late={late.data} error={failed.error} />}>
      <div className={styles.boxes}>
        <div className={styles.stack}>
          <Box title={words("failed.title")} about={words("failed.about")} to="/runs" search={{ status: "FAILED" }}>
            {failed.data ? (
              <FailedBox list={failed.data} />
            ) : failed.error ? (
              <FailureNote error={failed.error} onRetry={() => void failed.refetch()} />
            ) : (
              <Skeleton lines={6} />
            )}
          </Box>
          <Box title={words("changes.title")} about={words("changes.about")} to="/changes">
            <ChangesBox window={before(7 * DAY)} />
          </Box>
        </div>
        <div className={styles.stack}>
          <Box title={words("late.title")} about={words("late.about")}>
            {late.data ? (
              <OverdueBox list={late.data} />
            ) : late.error ? (
              <FailureNote error={late.error} onRetry={() => void late.refetch()} />
            ) : (
              <Skeleton lines={6} />
            )}
          </Box>
          <Box title={words("looked.title")} about={words("looked.about")}>
            <LookedBox />
          </Box>
        </div>
      </div>
      <IngestLine />
    </Page>
  );
}

/** "3 runs failed since yesterday; they feed 14 tables and 2 reports." */
function Head({
  failed,
  late,
  error,
}: {
  failed: FailureList | undefined;
  late: OverdueList | undefined;
  error: unknown;
}) {
  const words = useTranslations("home");
  const moment = useMoment();
  const when = moment ? "then" : "now";
  const open = failed ? failed.total - failed.recovered : 0;
  const b = (text: ReactNode) => <b>{text}</b>;
  return (
    <header className={styles.head}>
      <h1 className={styles.sentence}>
        {!failed ? (
          <span className="mute">{words(error ? "unknown" : "looking")}</span>
        ) : open === 0 && failed.recovered === 0 && (late?.total ?? 0) === 0 ? (
          words("quiet", { when })
        ) : (
          <>
            {words.rich("failedRuns", { count: open, when, b })}
            {open > 0 &&
              words.rich("feeding", {
                datasets: failed.feeds.datasets,
                reports: failed.feeds.reports,
                more: failed.feeds.truncated || failed.truncated ? "yes" : "no",
                b,
              })}
            {words("stop")}
            {failed.recovered > 0 && <> {words.rich("recovered", { count: failed.recovered, b })}</>}
            {late && late.total > 0 && <> {words.rich("lateTables", { count: late.total, b })}</>}
          </>
        )}
      </h1>
    </header>
  );
}

function Box({
  title,
  about,
  to,
  search,
  children,
}: {
  title: string;
  about: string;
  to?: string;
  search?: Record<string, string>;
  children: ReactNode;
}) {
  const words = useTranslations("home");
  return (
    <section className={styles.box} aria-label={title}>
      <header className="row">
        <h2>{title}</h2>
        <span className="mute">{about}</span>
        {to && (
          <Link to={to} search={(search ?? {}) as never} className="push">
            {words("all")}
          </Link>
        )}
      </header>
      {children}
    </section>
  );
}
