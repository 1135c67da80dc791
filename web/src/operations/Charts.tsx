import { useLocale, useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { useSession } from "@/frame/session";
import { Chart, duration } from "@/parts";
import { useFrameView } from "@/view";
import { dayOf, hoursOf } from "./day";
import styles from "./Operations.module.css";

/** Rate, latency, refused and lag of the last 24 hours. */
export function Charts({ slots, now }: { slots: readonly components["schemas"]["LoadSlot"][]; now: number }) {
  const words = useTranslations("operations.chart");
  const locale = useLocale();
  const { session } = useSession();
  const [{ tenant }] = useFrameView();
  const day = dayOf(slots, now);
  const isOfOne = Boolean(tenant ?? session?.tenant);
  const counted = useAnswer<components["schemas"]["ActivitySeries"]>(
    "/api/v2/series",
    { by: "hour", since: "-1d", limit: 24 },
    { when: isOfOne, every: 60_000 },
  );
  const hours = hoursOf(counted.data?.items ?? [], now);
  return (
    <div className={styles.charts}>
      <figure className={styles.chart}>
        <h2>{words("rate")}</h2>
        <Chart
          label={words("rate")}
          at={day.at}
          series={[{ title: words("requests"), ink: "accent", values: day.rate }]}
        />
      </figure>
      <figure className={styles.chart}>
        <h2>{words("latency")}</h2>
        <Chart
          label={words("latency")}
          at={day.at}
          look="line"
          series={[
            { title: words("p50"), ink: "mute", values: day.p50 },
            { title: words("p95"), ink: "accent", values: day.p95 },
          ]}
          print={(value) => duration(value * 1000, locale)}
        />
      </figure>
      <figure className={styles.chart}>
        <h2>{words("taken")}</h2>
        {isOfOne ? (
          <Chart
            label={words("taken")}
            at={hours.at}
            series={[
              { title: words("events"), ink: "mute", values: hours.events },
              { title: words("refused"), ink: "failed", values: hours.refused },
            ]}
          />
        ) : (
          <p className="mute">{words("chooseTenant")}</p>
        )}
      </figure>
      <figure className={styles.chart}>
        <h2>{words("lag")}</h2>
        <Chart
          label={words("lag")}
          at={day.at}
          look="line"
          series={[{ title: words("waiting"), ink: "running", values: day.lag }]}
        />
      </figure>
    </div>
  );
}
