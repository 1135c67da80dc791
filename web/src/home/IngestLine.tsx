import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { mayDo, useSession } from "@/frame/session";
import { PAGES } from "@/pages/routes";
import { Duration, Figure, StateDot, Time } from "@/parts";
import { useMoment } from "@/view";
import styles from "./home.module.css";
import { ingestOf } from "./ingest";

type Activity = components["schemas"]["ActivitySeries"];
interface Pipeline {
  lag_events: number | null;
  lag_seconds: number | null;
  fresh_until: string | null;
}

/** How ingest is doing, in one line: events and refused ones of the last day, and how far the pipeline is behind. */
export function IngestLine() {
  const words = useTranslations("home.ingest");
  const moment = useMoment();
  const { session } = useSession();
  const asking = { every: 60_000, keep: true };
  const series = useAnswer<Activity>(
    "/api/v2/series",
    { by: "hour", limit: 24, ...(moment ? { until: moment } : {}) },
    asking,
  );
  const pipeline = useAnswer<Pipeline>("/api/v2/pipeline", {}, { ...asking, when: !moment });
  const said = ingestOf(series.data?.items ?? []);
  const lag = moment ? undefined : pipeline.data;
  const leads = mayDo(session, "admin") && PAGES.some(({ path }) => path === "/operations");
  return (
    <footer className={styles.ingest} aria-label={words("title")}>
      <StateDot signal={series.error ? "unknown" : said.refused > 0 ? "failed" : said.events > 0 ? "ok" : "stale"} />
      {series.error ? (
        <span>{words("unknown")}</span>
      ) : (
        <>
          <span>
            <Figure value={said.events} /> {words("events", { count: said.events })}
          </span>
          <span>
            <Figure value={said.refused} /> {words("refused", { count: said.refused })}
          </span>
          {said.newest && (
            <span>
              {words("newest")} <Time at={said.newest} />
            </span>
          )}
        </>
      )}
      {lag && lag.lag_events !== null && (
        <span>
          {lag.lag_events === 0 ? (
            words("caughtUp")
          ) : (
            <>
              {words("behind", { count: lag.lag_events })}{" "}
              {lag.lag_seconds !== null && <Duration milliseconds={lag.lag_seconds * 1000} />}
            </>
          )}
        </span>
      )}
      {lag && lag.lag_events === null && <span className="mute">{words("noPipeline")}</span>}
      {leads && (
        <Link to="/operations" className="push">
          {words("more")}
        </Link>
      )}
    </footer>
  );
}
