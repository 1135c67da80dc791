import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { type Column, Duration, Figure, Time } from "@/parts";
import type { StatementItem } from "../shared/records";
import { ListPage } from "./ListPage";
import type { ListSpec } from "./spec";

function useColumns(): readonly Column<StatementItem>[] {
  const words = useTranslations("pages.lists.column");
  return [
    {
      id: "text",
      title: words("statement"),
      value: (row) => row.text,
      cell: (row) => (
        <Link to="/statement" search={{ id: row.id } as never} className="mono" title={row.text.slice(0, 400)}>
          <bdi>{row.text.slice(0, 300).replaceAll(/\s+/g, " ")}</bdi>
        </Link>
      ),
    },
    { id: "dialect", title: words("dialect"), value: (row) => row.dialect, width: 110 },
    {
      id: "jobs",
      title: words("jobs"),
      number: true,
      value: (row) => row.jobs,
      cell: (row) => <Figure value={row.jobs} />,
      width: 80,
    },
    {
      id: "runs",
      title: words("runs"),
      number: true,
      value: (row) => row.use?.runs,
      cell: (row) => <Figure value={row.use?.runs} />,
      width: 90,
    },
    {
      id: "failed",
      title: words("failed"),
      number: true,
      value: (row) => row.use?.failed,
      cell: (row) => <Figure value={row.use?.failed} />,
      width: 90,
    },
    {
      id: "duration",
      title: words("duration_all"),
      number: true,
      value: (row) => row.use?.duration_ms,
      cell: (row) => <Duration milliseconds={row.use?.duration_ms} />,
      width: 120,
    },
    {
      id: "last_run",
      title: words("last_run"),
      value: (row) => row.use?.last_run,
      cell: (row) => <Time at={row.use?.last_run} />,
      width: 130,
    },
    {
      id: "last_seen",
      title: words("last_seen"),
      value: (row) => row.last_seen,
      cell: (row) => <Time at={row.last_seen} />,
      width: 130,
    },
  ];
}

const SPEC: ListSpec<StatementItem> = {
  list: "sql",
  filters: [{ name: "text" }, { name: "dialect" }, { name: "job" }, { name: "since", options: ["-1d", "-7d", "-30d"] }],
  orders: ["runs", "last_run"],
  order: "id",
  shown: ["dialect", "jobs", "runs", "failed", "duration", "last_seen"],
  useColumns,
  keyOf: (row) => row.key,
};

export default function Statements() {
  return <ListPage spec={SPEC} />;
}
