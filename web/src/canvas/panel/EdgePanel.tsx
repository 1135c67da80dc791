import { useLocale, useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Answer, Badge, bytes, cutMiddle, number, Skeleton, Sql, StateDot, Time } from "@/parts";
import { EdgeActs } from "@/pages/edits/EdgeActs";
import { Facts } from "@/pages/shared/Facts";
import { Thing } from "@/pages/shared/Thing";
import type { Edge, EdgeJob } from "../records";
import type { Picked } from "../scene/pick";
import { mono, strong, subtypeWord } from "./marks";
import styles from "./Panel.module.css";
import { sentenceOf } from "./sentence";

type OfEdge = Extract<Picked, { kind: "flow" | "edge" }>;

/** An edge explained: a sentence, then columns, jobs, SQL and figures. */
export function EdgePanel({ picked, moment }: { picked: OfEdge; moment: string | null }) {
  const answer = useAnswer<Edge>("/api/v2/edge", {
    from: picked.from,
    to: picked.to,
    as_of: moment,
    ...(picked.kind === "edge" ? { from_column: picked.fromColumn, to_column: picked.toColumn || null } : {}),
  });
  return (
    <Answer of={answer} skeleton={<Skeleton lines={8} />}>
      {(edge) => <Explained edge={edge} one={picked.kind === "edge"} />}
    </Answer>
  );
}

function Explained({ edge, one }: { edge: Edge; one: boolean }) {
  const words = useTranslations("canvas.panel");
  const [first] = edge.columns;
  return (
    <div className={styles.panel}>
      <h2 className={styles.title}>
        <bdi>{cutMiddle(one && first ? `${edge.from.title}.${first.from_column}` : edge.from.title, 60)}</bdi>
        <span className="mute">{" → "}</span>
        <bdi>{cutMiddle(one && first?.to_column ? `${edge.to.title}.${first.to_column}` : edge.to.title, 60)}</bdi>
      </h2>
      <Says edge={edge} />
      <div className="row-wrap">
        {edge.masked === true && <Badge tone="stale">{words("masked")}</Badge>}
        {!edge.current && <Badge>{words("notCurrent")}</Badge>}
        {edge.origins.includes("person") && <Badge>{words("byHand")}</Badge>}
      </div>
      <Facts
        of={[
          [words("from"), <Thing key="from" id={edge.from.id} />],
          [words("to"), <Thing key="to" id={edge.to.id} />],
          [words("firstSeen"), edge.first_seen && <Time at={edge.first_seen} />],
          [words("lastSeen"), edge.last_seen && <Time at={edge.last_seen} />],
          [words("reportedBy"), edge.producers.map((one) => cutMiddle(one, 40)).join(", ")],
        ]}
      />
      {!one && <EdgeActs from={edge.from.id} to={edge.to.id} byHand={edge.origins.includes("person")} />}
      {one && first?.to_column && (
        <EdgeActs
          from={`${edge.from.id}#${first.from_column}`}
          to={`${edge.to.id}#${first.to_column}`}
          byHand={edge.origins.includes("person")}
        />
      )}
      {edge.columns.length > 0 && <Columns edge={edge} />}
      {edge.jobs.map((job) => (
        <Job key={job.job.key} of={job} columns={one ? edge.columns.map(({ to_column }) => to_column) : null} />
      ))}
    </div>
  );
}

function Says({ edge }: { edge: Edge }) {
  const words = useTranslations("canvas.explain");
  const { scope, code, values } = sentenceOf(edge);
  const short = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? cutMiddle(value, 160) : value]),
  ) as typeof values;
  return (
    <p className={styles.sentence}>
      {words.rich(`${scope}.${code}`, {
        ...short,
        n: strong,
        c: mono,
      })}
    </p>
  );
}

const MOST = 60;

function Columns({ edge }: { edge: Edge }) {
  const words = useTranslations("canvas.panel");
  return (
    <section>
      <h3>{words("columns", { count: edge.columns_total })}</h3>
      <ul className={styles.steps}>
        {edge.columns.slice(0, MOST).map((column) => (
          <li key={`${column.from_column} ${column.to_column} ${column.subtype} ${column.via}`} className={styles.step}>
            <span className="mono">
              <bdi>{cutMiddle(column.from_column, 32)}</bdi>
              <span className="mute">{" → "}</span>
              <bdi>{column.to_column ? cutMiddle(column.to_column, 32) : words("everyRow")}</bdi>
            </span>
            <span className={styles.how}>
              {words(`how.${column.type === "DIRECT" ? "direct" : "indirect"}`)}
              {" · "}
              {words(`subtype.${subtypeWord(column.subtype)}`)}
              {column.masked && <Badge tone="stale">{words("masked")}</Badge>}
            </span>
            {column.expression && <code className={styles.expression}>{cutMiddle(column.expression, 300)}</code>}
          </li>
        ))}
      </ul>
      {edge.columns_total > Math.min(MOST, edge.columns.length) && (
        <p className="mute">
          {words("moreColumns", { count: edge.columns_total - Math.min(MOST, edge.columns.length) })}
        </p>
      )}
    </section>
  );
}

function Job({ of: { job, ...rest }, columns }: { of: EdgeJob; columns: readonly string[] | null }) {
  const words = useTranslations("canvas.panel");
  const locale = useLocale();
  const run = rest.last_run;
  const spans = (rest.sql?.spans ?? []).filter((span) => columns === null || columns.includes(span.column));
  return (
    <section>
      <h3 className="row">
        {run && <StateDot state={run.status} />}
        <Thing id={job.id} rest={false} />
      </h3>
      <Facts
        of={[
          [words("lastRun"), run && <Time at={run.at} />],
          [words("written"), run?.rows !== null && run?.rows !== undefined && words("rows", { count: run.rows })],
          [words("size"), run?.bytes !== null && run?.bytes !== undefined && bytes(run.bytes, locale)],
          [words("runs"), rest.runs_total > 0 && number(rest.runs_total, locale)],
          [words("inAll"), rest.rows !== null && rest.runs_total > 1 && words("rows", { count: rest.rows })],
          [words("since"), rest.first_run && <Time at={rest.first_run.at} />],
        ]}
      />
      {rest.sql && <Sql statement={rest.sql.text} spans={columns ? spans : []} dialect={rest.sql.dialect} />}
    </section>
  );
}
