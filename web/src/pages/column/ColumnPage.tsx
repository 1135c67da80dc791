import { Link } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { useTranslations } from "use-intl";
import { currentTenant, useAnswer } from "@/api";
import { LineageCanvas } from "@/canvas";
import { Page } from "@/frame/Page";
import { remember } from "@/home/lookedAt";
import { Answer, Badge, Button, cutMiddle, Empty, Skeleton, Tabs, Time } from "@/parts";
import { flag, useMoment, useView } from "@/view";
import { schemaAt, typesOf, typesOver } from "../dataset/schema";
import { EditHistory } from "../edits/EditHistory";
import { Elsewhere } from "../shared/Elsewhere";
import { ENTITY_VIEW } from "../shared/EntityPage";
import { Facts, Part } from "../shared/Facts";
import { datasetOf, partsOf, routeOf } from "../shared/names";
import type { DatasetEntity, SchemaField } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { ThingHead } from "../shared/ThingHead";
import styles from "./column.module.css";
import { Masked, StepList } from "./StepList";
import { directOnly, maskedWord, stepsOf } from "./steps";

const TABS = ["path", "lineage", "edits"] as const;
const VIEW = { ...ENTITY_VIEW, indirect: flag() };
const DEPTH = 20;
const ELSEWHERE = ["impact", "paths"] as const;

/** One column: where its values come from, step by step, and where they go. */
export default function ColumnPage() {
  const words = useTranslations("pages.column");
  const [{ id }] = useView(VIEW);
  const parts = partsOf(id);
  if (parts.kind !== "column" || parts.column === null)
    return (
      <Page title={words("title")}>
        <Empty title={words("none")} actions={<Link to="/datasets">{words("toDatasets")}</Link>}>
          {words("noneText")}
        </Empty>
      </Page>
    );
  return <Known id={id} column={parts.column} />;
}

function Known({ id, column }: { id: string; column: string }) {
  const words = useTranslations("pages.column");
  const moment = useMoment();
  const [{ tab, indirect }, setView] = useView(VIEW);
  const dataset = useAnswer<DatasetEntity>(routeOf("datasets", datasetOf(id)));
  const lineage = useAnswer("/api/v2/lineage", {
    name: id,
    granularity: "COLUMN",
    direction: "both",
    depth: DEPTH,
    limit: 500,
    ...(moment ? { as_of: moment } : {}),
  });
  const isThere = lineage.data !== undefined;
  useEffect(() => {
    if (isThere) remember(currentTenant(), id);
  }, [isThere, id]);
  const chosen = TABS.find((one) => one === tab) ?? "path";
  const schema = dataset.data ? schemaAt(dataset.data, moment) : [];
  const field = fieldAt(schema, column);
  const type = typesOf(schema).get(column);
  const tags = dataset.data?.column_tags[column] ?? field?.tags ?? [];
  return (
    <Page
      title={partsOf(id).title}
      fill
      head={
        <ThingHead
          kind="column"
          of={{ id, tags, description: field?.description ?? null }}
          badges={
            <>
              {type && <Badge>{cutMiddle(type, 60)}</Badge>}
              {dataset.data && !typesOf(schema).has(column) && <Badge tone="stale">{words("notInSchema")}</Badge>}
            </>
          }
          actions={<Elsewhere name={id} to={ELSEWHERE} />}
        >
          <span className="row">
            <span className="mute">{words("of")}</span>
            <Thing id={datasetOf(id)} rest={false} />
          </span>
        </ThingHead>
      }
    >
      <Tabs
        label={words("tabs")}
        tabs={TABS.map((one) => ({ id: one, title: words(`tab.${one}`) }))}
        chosen={chosen}
        onChoose={(next) => setView({ tab: next === "path" ? null : next }, { push: true })}
      >
        {chosen === "lineage" ? (
          <div className={shared.whole}>
            <LineageCanvas id={id} />
          </div>
        ) : (
          <div className={shared.inside}>
            {chosen === "edits" && <EditHistory of={id} />}
            {chosen === "path" && (
              <div className={styles.page}>
                <Answer of={lineage} skeleton={<Skeleton lines={8} height={40} />}>
                  {(answer) => (
                    <Path
                      id={id}
                      upstream={answer.upstream}
                      downstream={answer.downstream}
                      indirect={indirect}
                      onIndirect={() => setView({ indirect: !indirect })}
                    />
                  )}
                </Answer>
                <div className="stack">
                  <About field={field} dataset={dataset.data ?? null} column={column} />
                </div>
              </div>
            )}
          </div>
        )}
      </Tabs>
    </Page>
  );
}

type Side = Parameters<typeof stepsOf>[0];

function Path({
  id,
  upstream,
  downstream,
  indirect,
  onIndirect,
}: {
  id: string;
  upstream: Side;
  downstream: Side;
  indirect: boolean;
  onIndirect: () => void;
}) {
  const words = useTranslations("pages.column");
  const all = useMemo(
    () => ({ up: stepsOf(upstream, "upstream"), down: stepsOf(downstream, "downstream") }),
    [upstream, downstream],
  );
  const up = indirect ? all.up : directOnly(all.up);
  const down = indirect ? all.down : directOnly(all.down);
  const left = all.up.length - directOnly(all.up).length + all.down.length - directOnly(all.down).length;
  const masked = maskedWord(all.down);
  const isCut = Boolean(upstream?.truncated || downstream?.truncated);
  return (
    <div className="stack">
      <div className="row">
        <p className={shared.sentence}>
          {words("sentence", { up: up.length, down: down.length })} {down.length > 0 && words(`masking.${masked}`)}
        </p>
        {left > 0 && (
          <span className="push">
            <Button pressed={indirect} onClick={onIndirect}>
              {words("indirect", { count: left })}
            </Button>
          </span>
        )}
      </div>
      {isCut && <p className="mute">{words("cut")}</p>}
      <Part title={words("from")}>
        {up.length === 0 ? <p className="mute">{words("noSource")}</p> : <StepList steps={up} way="upstream" />}
      </Part>
      <div className={styles.here}>
        <bdi className="mono">{cutMiddle(partsOf(id).title, 80)}</bdi>
      </div>
      <Part title={words("to")}>
        {down.length === 0 ? <p className="mute">{words("noTarget")}</p> : <StepList steps={down} way="downstream" />}
      </Part>
    </div>
  );
}

function About({
  field,
  dataset,
  column,
}: {
  field: SchemaField | undefined;
  dataset: DatasetEntity | null;
  column: string;
}) {
  const words = useTranslations("pages.column");
  if (!dataset) return <Skeleton lines={4} />;
  const spans = typesOver(dataset.schema_history, column);
  const sources = dataset.columns.filter((one) => one.column === column && one.type === "DIRECT");
  return (
    <>
      <Part title={words("about")}>
        <div className={shared.box}>
          <Facts
            of={[
              [words("comment"), field?.description && <bdi>{cutMiddle(field.description, 800)}</bdi>],
              [words("type"), field?.type && <bdi className="mono">{cutMiddle(field.type, 200)}</bdi>],
              [words("dataset"), <Thing key="dataset" id={dataset.id} rest={false} />],
              [words("lastWritten"), dataset.use.last_written && <Time at={dataset.use.last_written} />],
              [words("fields"), field && field.fields.length > 0 && field.fields.length],
              [
                words("maskedHere"),
                sources.length > 0 && sources.every(({ masking }) => masking === true) && <Masked />,
              ],
            ]}
          />
        </div>
      </Part>
      <Part title={words("types")}>
        <div className={shared.box}>
          {spans.length === 0 ? (
            <span className="mute">{words("noTypes")}</span>
          ) : (
            <ol className="stack">
              {[...spans].reverse().map((span) => (
                <li key={`${span.type} ${span.since}`} className="row-wrap">
                  <bdi className="mono">{cutMiddle(span.type ?? words("noType"), 60)}</bdi>
                  <span className="mute">
                    <Time at={span.since} look="exact" />
                    {" – "}
                    {span.until ? <Time at={span.until} look="exact" /> : words("now")}
                  </span>
                </li>
              ))}
            </ol>
          )}
        </div>
      </Part>
    </>
  );
}

/** The field at the path of a column, nested ones with dots. */
function fieldAt(fields: readonly SchemaField[], column: string): SchemaField | undefined {
  for (const field of fields) {
    if (field.name === column) return field;
    if (column.startsWith(`${field.name}.`)) {
      const inner = fieldAt(field.fields, column.slice(field.name.length + 1));
      if (inner) return inner;
    }
  }
  return undefined;
}
