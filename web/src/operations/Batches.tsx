import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { Answer, Empty, Figure, StateDot, Table, Time } from "@/parts";

type Batch = components["schemas"]["TaskBatch"];

/** Batches of tasks, the newest first. */
export function Batches() {
  const words = useTranslations("operations.tasks");
  const found = useAnswer("/api/v2/tasks/batches", { limit: 50 }, { every: 5000, keep: true });
  return (
    <Answer of={found}>
      {({ batches }) => (
        <Table<Batch>
          label={words("batches")}
          rows={batches}
          keyOf={(row) => row.id}
          empty={<Empty title={words("noBatches")}>{words("noBatchesText")}</Empty>}
          columns={[
            {
              id: "batch",
              title: words("batch"),
              value: (row) => row.id,
              cell: (row) => (
                <span className="row">
                  <StateDot state={row.state} />
                  {row.id}
                </span>
              ),
            },
            { id: "batchType", title: words("type"), value: (row) => row.type, width: 130 },
            { id: "model", title: words("model"), value: (row) => row.model },
            {
              id: "planned",
              title: words("planned"),
              value: (row) => row.planned,
              cell: (row) => <Figure value={row.planned} />,
              number: true,
              width: 90,
            },
            {
              id: "succeeded",
              title: words("succeeded"),
              value: (row) => row.succeeded,
              cell: (row) => <Figure value={row.succeeded} />,
              number: true,
              width: 100,
            },
            {
              id: "failed",
              title: words("failed"),
              value: (row) => row.failed,
              cell: (row) => <Figure value={row.failed} />,
              number: true,
              width: 90,
            },
            {
              id: "started",
              title: words("started"),
              value: (row) => row.started_at,
              cell: (row) => <Time at={row.started_at} />,
              width: 140,
            },
          ]}
        />
      )}
    </Answer>
  );
}
