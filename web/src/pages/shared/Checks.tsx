import { useTranslations } from "use-intl";
import { type Column, cutMiddle, StateDot, Table } from "@/parts";
import type { Check } from "./checks";
import { Thing } from "./Thing";

/** Quality checks, the failed ones first. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  const words = useTranslations("pages.entity.check");
  const columns: readonly Column<Check>[] = [
    {
      id: "success",
      title: words("result"),
      value: (row) => (row.success === null ? words("unknown") : words(row.success ? "passed" : "failed")),
      cell: (row) => (
        <span className="row">
          <StateDot signal={row.success === null ? "unknown" : row.success ? "ok" : "failed"} />
          {row.success === null ? words("unknown") : words(row.success ? "passed" : "failed")}
        </span>
      ),
      width: 130,
    },
    { id: "name", title: words("name"), value: (row) => row.name, cell: (row) => <bdi>{cutMiddle(row.name, 80)}</bdi> },
    {
      id: "column",
      title: words("column"),
      value: (row) => row.column,
      cell: (row) => row.column && <bdi className="mono">{cutMiddle(row.column, 60)}</bdi>,
    },
    { id: "severity", title: words("severity"), value: (row) => row.severity, width: 110 },
    {
      id: "run",
      title: words("run"),
      value: (row) => row.run,
      cell: (row) => row.run && <Thing id={`run:${row.run}`} />,
      width: 120,
    },
  ];
  return (
    <Table
      label={words("title")}
      columns={columns}
      rows={checks}
      keyOf={(row) => `${row.name} ${row.column ?? ""} ${row.run ?? ""}`}
      csv="checks"
    />
  );
}
