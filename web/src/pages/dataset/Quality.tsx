import { useTranslations } from "use-intl";
import { type Column, Empty, Figure, Table } from "@/parts";
import { Checks } from "../shared/Checks";
import { checksOf, type Measured, measuredOf } from "../shared/checks";
import { Facts, Part } from "../shared/Facts";
import type { DatasetEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";

type MeasuredColumn = Measured["columns"][number];

/** Results of checks, and what was measured of the values. */
export function Quality({ dataset }: { dataset: DatasetEntity }) {
  const words = useTranslations("pages.dataset.quality");
  const checks = checksOf(dataset.assertions);
  const measured = measuredOf(dataset.quality);
  if (checks.length === 0 && measured === null) return <Empty title={words("none")}>{words("noneText")}</Empty>;
  const failed = checks.filter(({ success }) => success === false).length;
  const columns: readonly Column<MeasuredColumn>[] = [
    {
      id: "name",
      title: words("column"),
      value: (row) => row.name,
      cell: (row) => <bdi className="mono">{row.name.slice(0, 80)}</bdi>,
    },
    {
      id: "nulls",
      title: words("nulls"),
      number: true,
      value: (row) => row.nulls,
      cell: (row) => <Figure value={row.nulls} />,
    },
    {
      id: "distinct",
      title: words("distinct"),
      number: true,
      value: (row) => row.distinct,
      cell: (row) => <Figure value={row.distinct} />,
    },
    { id: "least", title: words("least"), value: (row) => row.least },
    { id: "most", title: words("most"), value: (row) => row.most },
  ];
  return (
    <>
      {checks.length > 0 && (
        <Part title={words("checks")} about={words("failed", { failed, count: checks.length })}>
          <Checks checks={checks} />
        </Part>
      )}
      {measured && (
        <Part title={words("measured")}>
          <div className={shared.box}>
            <Facts
              of={[
                [words("rows"), measured.rows !== null && <Figure value={measured.rows} />],
                [words("size"), measured.bytes !== null && <Figure value={measured.bytes} look="bytes" />],
                [words("run"), measured.run && <Thing id={`run:${measured.run}`} />],
              ]}
            />
          </div>
          {measured.columns.length > 0 && (
            <Table
              label={words("measured")}
              columns={columns}
              rows={measured.columns}
              keyOf={(row) => row.name}
              csv="quality"
            />
          )}
        </Part>
      )}
    </>
  );
}
