import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { Answer, Empty, Figure, StateDot, Table, Time } from "@/parts";

type Job = components["schemas"]["PipelineJob"];

/** How far the pipeline is behind, and how each of its jobs goes. */
export function Pipeline() {
  const words = useTranslations("operations.pipeline");
  const found = useAnswer("/api/v2/pipeline", {}, { every: 5000 });
  return (
    <Answer of={found}>
      {(state) => (
        <div className="stack">
          <p>
            {state.lag_events === null
              ? words("never")
              : state.lag_events === 0
                ? words("fresh")
                : words("behind", { count: state.lag_events })}{" "}
            {state.fresh_until && (
              <>
                {words("until")} <Time at={state.fresh_until} />
              </>
            )}
          </p>
          <Table<Job>
            label={words("jobs")}
            rows={state.jobs}
            keyOf={(row) => row.job}
            empty={<Empty title={words("none")}>{words("noneText")}</Empty>}
            columns={[
              {
                id: "job",
                title: words("job"),
                value: (row) => row.job,
                cell: (row) => (
                  <span className="row">
                    <StateDot signal={row.error ? "failed" : "ok"} />
                    {row.job}
                  </span>
                ),
              },
              {
                id: "events",
                title: words("events"),
                value: (row) => row.events,
                cell: (row) => <Figure value={row.events} />,
                number: true,
              },
              {
                id: "batch",
                title: words("batch"),
                value: (row) => row.last_batch.events,
                cell: (row) => <Figure value={row.last_batch.events} />,
                number: true,
              },
              {
                id: "rate",
                title: words("rate"),
                value: (row) => row.last_batch.events_per_second,
                cell: (row) => <Figure value={row.last_batch.events_per_second} />,
                number: true,
              },
              {
                id: "updated",
                title: words("updated"),
                value: (row) => row.updated_at,
                cell: (row) => <Time at={row.updated_at} />,
              },
              { id: "error", title: words("error"), value: (row) => row.error },
            ]}
          />
        </div>
      )}
    </Answer>
  );
}
