import { useTranslations } from "use-intl";
import { type Column, Duration, Empty, FailureNote, Skeleton, StateDot, Table, Time } from "@/parts";
import type { JobEntity, JobItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { usePages } from "../shared/usePages";

/** The parts of an application, DAG or dbt invocation. */
export function PartsOfJob({ job }: { job: JobEntity }) {
  const words = useTranslations("pages.lists.column");
  const own = useTranslations("pages.job");
  const found = usePages<JobItem>("/api/v2/jobs", { parent: job.id });
  const columns: readonly Column<JobItem>[] = [
    { id: "name", title: words("name"), value: (row) => row.name, cell: (row) => <Thing id={row.id} rest={false} /> },
    { id: "type", title: words("type"), value: (row) => row.type, width: 170 },
    {
      id: "status",
      title: words("latest_run"),
      value: (row) => row.latest_run?.status,
      cell: (row) => row.latest_run && <StateDot state={row.latest_run.status} text />,
      width: 130,
    },
    {
      id: "duration",
      title: words("duration"),
      number: true,
      value: (row) => row.latest_run?.duration_ms,
      cell: (row) => <Duration milliseconds={row.latest_run?.duration_ms} />,
      width: 120,
    },
    {
      id: "last_seen",
      title: words("last_seen"),
      value: (row) => row.last_seen,
      cell: (row) => <Time at={row.last_seen} />,
      width: 130,
    },
  ];
  if (found.error && !found.known) return <FailureNote error={found.error} onRetry={found.again} />;
  if (!found.known) return <Skeleton lines={6} height={24} />;
  return (
    <Table
      label={own("tab.parts")}
      columns={columns}
      rows={found.rows}
      keyOf={(row) => row.key}
      total={found.total}
      csv="parts"
      empty={<Empty title={own("noParts")}>{own("noPartsText")}</Empty>}
    />
  );
}
