import { useTranslations } from "use-intl";
import { type Column, Duration, StateDot, Time } from "@/parts";
import type { RunItem } from "../shared/records";
import { Thing } from "../shared/Thing";

/** Columns of runs, in the list and in the tabs of things that have runs. */
export function useRunColumns(): readonly Column<RunItem>[] {
  const words = useTranslations("pages.lists.column");
  return [
    {
      id: "status",
      title: words("status"),
      value: (row) => row.status,
      cell: (row) => <StateDot state={row.status} text />,
      width: 120,
    },
    { id: "run", title: words("run"), value: (row) => row.run, cell: (row) => <Thing id={row.id} />, width: 110 },
    { id: "job", title: words("job"), value: (row) => row.job, cell: (row) => row.job && <Thing id={row.job} /> },
    { id: "activity", title: words("activity"), value: (row) => row.activity.join(", "), width: 120 },
    {
      id: "started_at",
      title: words("started_at"),
      value: (row) => row.started_at,
      cell: (row) => <Time at={row.started_at ?? row.first_seen} />,
      width: 130,
    },
    {
      id: "first_seen",
      title: words("first_seen"),
      value: (row) => row.first_seen,
      cell: (row) => <Time at={row.first_seen} />,
      width: 130,
    },
    {
      id: "duration",
      title: words("duration"),
      number: true,
      value: (row) => row.duration_ms,
      cell: (row) => <Duration milliseconds={row.duration_ms} />,
      width: 110,
    },
    {
      id: "user",
      title: words("user"),
      value: (row) => row.user,
      cell: (row) => row.user && <Thing id={`user:${row.user}`} />,
      width: 110,
    },
    { id: "engine", title: words("engine"), value: (row) => row.engine, width: 120 },
    { id: "end_reason", title: words("end_reason"), value: (row) => row.end_reason },
    {
      id: "parent",
      title: words("parent"),
      value: (row) => row.parent,
      cell: (row) => row.parent && <Thing id={`run:${row.parent}`} />,
      width: 110,
    },
    { id: "external_id", title: words("external_id"), value: (row) => row.external_id, width: 160 },
  ];
}
