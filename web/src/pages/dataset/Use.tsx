import { useLocale, useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Answer, bytes, Chart, Empty, shortNumber, Skeleton } from "@/parts";
import { useMoment } from "@/view";
import { Part } from "../shared/Facts";
import { type DatasetDay, filledDays } from "../shared/days";
import type { DatasetEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Things } from "../shared/Thing";

interface Series {
  days: DatasetDay[];
  freshness: unknown;
}

/** Who reads and writes a dataset, how often, and how much, day by day. */
export function Use({ dataset }: { dataset: DatasetEntity }) {
  const words = useTranslations("pages.dataset.use");
  const locale = useLocale();
  const moment = useMoment();
  const answer = useAnswer<Series>("/api/v2/series", {
    name: dataset.id,
    limit: 60,
    ...(moment ? { until: moment } : {}),
  });
  return (
    <>
      <Answer
        of={answer}
        skeleton={<Skeleton lines={2} height={140} />}
        isEmpty={({ days }) => days.length === 0}
        empty={<Empty title={words("noFigures")}>{words("noFiguresText")}</Empty>}
      >
        {({ days: known }) => {
          const days = filledDays(known, 60);
          const at = days.map(({ day }) => `${day}T00:00:00Z`);
          const values = (name: keyof DatasetDay) => days.map((day) => day[name] as number | null);
          const hasRows = days.some((day) => day.rows_written !== null || day.rows_read !== null);
          const hasBytes = days.some((day) => day.bytes_written !== null || day.bytes_read !== null);
          return (
            <div className={shared.columns}>
              <Part title={words("runs")} about={words("perDay")}>
                <div className={shared.box}>
                  <Chart
                    label={words("runsLabel")}
                    at={at}
                    series={[
                      { title: words("writes"), ink: "accent", values: values("writes") },
                      { title: words("reads"), ink: "mute", values: values("reads") },
                      { title: words("failures"), ink: "failed", values: values("failures") },
                    ]}
                  />
                </div>
              </Part>
              {hasRows && (
                <Part title={words("rows")} about={words("perDay")}>
                  <div className={shared.box}>
                    <Chart
                      label={words("rowsLabel")}
                      at={at}
                      look="line"
                      print={(value) => shortNumber(value, locale)}
                      series={[
                        { title: words("written"), ink: "accent", values: values("rows_written") },
                        { title: words("read"), ink: "mute", values: values("rows_read") },
                      ]}
                    />
                  </div>
                </Part>
              )}
              {hasBytes && (
                <Part title={words("bytes")} about={words("perDay")}>
                  <div className={shared.box}>
                    <Chart
                      label={words("bytesLabel")}
                      at={at}
                      look="line"
                      print={(value) => bytes(value, locale)}
                      series={[
                        { title: words("written"), ink: "accent", values: values("bytes_written") },
                        { title: words("read"), ink: "mute", values: values("bytes_read") },
                      ]}
                    />
                  </div>
                </Part>
              )}
            </div>
          );
        }}
      </Answer>
      <div className={shared.columns}>
        <Part title={words("writers")} about={words("jobs", { count: dataset.use.writers })}>
          <div className={`${shared.box} ${shared.scroll}`}>
            <Things ids={dataset.written_by} none={words("nobodyWrites")} />
          </div>
        </Part>
        <Part title={words("readers")} about={words("jobs", { count: dataset.use.readers })}>
          <div className={`${shared.box} ${shared.scroll}`}>
            <Things ids={dataset.read_by} none={words("nobodyReads")} />
          </div>
        </Part>
        {dataset.named_by.length > 0 && (
          <Part title={words("named")} about={words("namedAbout")}>
            <div className={`${shared.box} ${shared.scroll}`}>
              <Things ids={dataset.named_by} />
            </div>
          </Part>
        )}
      </div>
    </>
  );
}
