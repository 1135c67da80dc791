import { useLocale, useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Answer, Badge, cutMiddle, Skeleton } from "@/parts";
import { partsOf } from "@/pages/shared/names";
import { Thing } from "@/pages/shared/Thing";
import type { PictureNode } from "../records";
import { mono, strong, subtypeWord } from "./marks";
import styles from "./Panel.module.css";
import { type ColumnLineage, type Step, valuePath } from "./path";

/** A column: how its values got there, step by step, and where they go. */
export function ColumnPanel({ node, column, moment }: { node: PictureNode; column: string; moment: string | null }) {
  const words = useTranslations("canvas.column");
  const id = `${node.id}#${column}`;
  const known = node.columns.find(({ name }) => name === column);
  const answer = useAnswer<ColumnLineage>("/api/v2/lineage", {
    name: known?.key ?? id,
    granularity: "COLUMN",
    depth: 30,
    as_of: moment,
    limit: 500,
  });
  return (
    <div className={styles.panel}>
      <h2 className={`${styles.title} mono`}>
        <bdi>{cutMiddle(column, 60)}</bdi>
      </h2>
      <p className="mute">
        <bdi>{cutMiddle(node.title, 60)}</bdi>
        {known?.type && <bdi>{` · ${cutMiddle(known.type, 40)}`}</bdi>}
      </p>
      {known && known.tags.length > 0 && (
        <div className="row-wrap">
          {known.tags.map((tag) => (
            <Badge key={tag} tone="stale">
              {cutMiddle(tag, 40)}
            </Badge>
          ))}
        </div>
      )}
      <Answer of={answer} skeleton={<Skeleton lines={6} />}>
        {(found) => <Way of={found} column={column} dataset={node.title} />}
      </Answer>
      <div className="row-wrap">
        <Thing id={id} rest={false} />
        <a className={styles.link} href={`/impact?name=${encodeURIComponent(id)}`}>
          {words("impact")}
        </a>
      </div>
    </div>
  );
}

const MOST_NAMED = 3;
const MOST_STEPS = 40;

function Way({ of, column, dataset }: { of: ColumnLineage; column: string; dataset: string }) {
  const words = useTranslations("canvas.column");
  const how = useTranslations("canvas.panel");
  const locale = useLocale();
  const path = valuePath(of);
  const list = new Intl.ListFormat(locale);
  const named = path.sources.slice(0, MOST_NAMED).map((id) => cutMiddle(partsOf(id).title, 60));
  const rest = path.sources.length - named.length;
  return (
    <>
      <p className={styles.sentence}>
        {words.rich(path.sources.length > 0 ? "from" : "own", {
          column: cutMiddle(column, 60),
          dataset: cutMiddle(dataset, 60),
          sources: list.format(rest > 0 ? [...named, words("others", { count: rest })] : named),
          steps: path.length,
          how: list.format(path.subtypes.slice(0, 4).map((subtype) => how(`subtype.${subtypeWord(subtype)}`))),
          c: mono,
          n: strong,
        })}{" "}
        {path.masked && words("masked")}{" "}
        {path.deciding.length > 0 && words("deciding", { count: path.deciding.length })}{" "}
        {path.reached > 0 ? words("feeds", { columns: path.reached, datasets: path.datasets }) : words("feedsNone")}
      </p>
      {path.up.length > 0 && <Steps title={words("up")} steps={path.up} />}
      {path.upDeciding.length > 0 && <Steps title={words("upDeciding")} steps={path.upDeciding} />}
      {path.down.length > 0 && <Steps title={words("down")} steps={path.down} />}
      {of.truncated && (
        <p className="mute" role="status">
          {words("cut")}
        </p>
      )}
    </>
  );
}

function Steps({ title, steps }: { title: string; steps: readonly Step[] }) {
  const words = useTranslations("canvas.panel");
  return (
    <section>
      <h3>{title}</h3>
      <ol className={styles.way}>
        {steps.slice(0, MOST_STEPS).map((step, at) => (
          <li key={`${step.from} ${step.to} ${at}`} className={`${styles.step} ${step.current ? "" : styles.past}`}>
            <span className="mono">
              <Thing id={step.from} rest={false} most={30} />
              <span className="mute">{" → "}</span>
              <Thing id={step.to} rest={false} most={30} />
            </span>
            <span className={styles.how}>
              {step.hows
                .slice(0, 3)
                .map(
                  ({ type, subtype }) =>
                    `${words(`how.${type === "DIRECT" ? "direct" : "indirect"}`)} · ${words(`subtype.${subtypeWord(subtype)}`)}`,
                )
                .join(", ")}
              {step.masked && <Badge tone="stale">{words("masked")}</Badge>}
              {!step.current && <Badge>{words("notCurrent")}</Badge>}
            </span>
            {step.hows.find(({ expression }) => expression) && (
              <code className={styles.expression}>
                {cutMiddle(step.hows.find(({ expression }) => expression)?.expression ?? "", 300)}
              </code>
            )}
          </li>
        ))}
      </ol>
      {steps.length > MOST_STEPS && (
        <p className="mute">{words("moreColumns", { count: steps.length - MOST_STEPS })}</p>
      )}
    </section>
  );
}
