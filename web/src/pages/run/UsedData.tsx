import type { ReactNode } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Badge, bytes, type Column, Empty, Figure, number, Table } from "@/parts";
import { Part } from "../shared/Facts";
import type { RunDataset, RunEntity } from "../shared/records";
import { Thing } from "../shared/Thing";
import styles from "./run.module.css";
import { changeOf } from "./waterfall";

/** What a run read and wrote, with the figures of the run before beside them. */
export function UsedData({ run, before }: { run: RunEntity; before: RunEntity | null }) {
  const words = useTranslations("pages.run");
  if (run.inputs.length + run.outputs.length === 0) return <Empty title={words("noData")}>{words("noDataText")}</Empty>;
  return (
    <>
      {run.is_cut && <p className="mute">{words("cut")}</p>}
      <Side title={words("outputs")} rows={run.outputs} before={before} side="outputs" />
      <Side title={words("inputs")} rows={run.inputs} before={before} side="inputs" />
    </>
  );
}

function Side({
  title,
  rows,
  before,
  side,
}: {
  title: string;
  rows: readonly RunDataset[];
  before: RunEntity | null;
  side: "inputs" | "outputs";
}) {
  const words = useTranslations("pages.run");
  const locale = useLocale();
  if (rows.length === 0) return null;
  const then = new Map((before?.[side] ?? []).map((item) => [item.key, item]));
  const withFiles = rows.some(({ files }) => files !== null);
  const figure = (member: "rows" | "bytes" | "files", print: (value: number) => string): Column<RunDataset>[] => [
    {
      id: member,
      title: words(member),
      number: true,
      value: (row) => row[member],
      cell: (row) => (
        <span className={styles.figure}>
          <Figure value={row[member]} look={member === "bytes" ? "bytes" : "whole"} />
          <Compared now={row[member]} before={then.get(row.key)?.[member]} print={print} />
        </span>
      ),
      width: 190,
    },
  ];
  const columns: readonly Column<RunDataset>[] = [
    { id: "dataset", title: words("dataset"), value: (row) => row.dataset, cell: (row) => <Thing id={row.dataset} /> },
    ...(side === "outputs"
      ? [
          {
            id: "types",
            title: words("how"),
            value: (row: RunDataset) => row.types.join(", "),
            cell: (row: RunDataset): ReactNode => (
              <span className="row">
                {row.types.slice(0, 3).map((type) => (
                  <Badge key={type}>{type}</Badge>
                ))}
              </span>
            ),
            width: 150,
          },
        ]
      : []),
    ...figure("rows", (value) => number(value, locale)),
    ...figure("bytes", (value) => bytes(value, locale)),
    ...(withFiles ? figure("files", (value) => number(value, locale)) : []),
    ...(rows.some(({ version }) => version !== null)
      ? [{ id: "version", title: words("version"), value: (row: RunDataset) => row.version, width: 160 }]
      : []),
  ];
  const missing = [...then.values()].filter((item) => !rows.some(({ key }) => key === item.key));
  return (
    <Part title={title} about={before && words("besides")}>
      <Table label={title} columns={columns} rows={rows} keyOf={(row) => row.key} csv={side} />
      {missing.length > 0 && (
        <p className="row-wrap">
          <span className="mute">{words(side === "outputs" ? "notWritten" : "notRead")}</span>
          {missing.slice(0, 6).map((item) => (
            <Thing key={item.key} id={item.dataset} rest={false} />
          ))}
          {missing.length > 6 && <span className="mute">{words("andMore", { count: missing.length - 6 })}</span>}
        </p>
      )}
    </Part>
  );
}

/** "+12 %" beside a figure, loud where it is far from before. */
function Compared({
  now,
  before,
  print,
}: {
  now: number | null;
  before: number | null | undefined;
  print: (value: number) => string;
}) {
  const words = useTranslations("pages.run");
  const locale = useLocale();
  const change = changeOf(now, before);
  if (change === null || before === null || before === undefined) return <span className={styles.compared} />;
  const shown = Number.isFinite(change)
    ? new Intl.NumberFormat(locale, { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 }).format(
        change,
      )
    : words("fromZero");
  const isFar = !Number.isFinite(change) || Math.abs(change) >= 0.5;
  return (
    <span className={`${styles.compared} ${isFar ? styles.far : ""}`} title={words("before", { value: print(before) })}>
      {shown}
    </span>
  );
}
