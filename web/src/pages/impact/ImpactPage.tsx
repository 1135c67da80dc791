import { useState } from "react";
import { useTranslations } from "use-intl";
import { Link } from "@tanstack/react-router";
import { type components, useAnswer } from "@/api";
import { subtypeWord } from "@/canvas/panel/marks";
import { Page } from "@/frame/Page";
import { Answer, Badge, Button, cutMiddle, Empty, saveCsv, Skeleton, Time } from "@/parts";
import { flag, oneOf, optional, useMoment, useView, whole } from "@/view";
import { Choice } from "../shared/Field";
import { partsOf } from "../shared/names";
import { Owners } from "../shared/Marks";
import { Picker } from "../shared/Picker";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { Proof } from "../shared/Way";
import { type Affected, type Group, groupsOf, kindOf, summaryOf } from "./groups";
import styles from "./ImpactPage.module.css";

type ImpactAnswer = components["schemas"]["ImpactAnswer"];

const FIELDS = {
  name: optional(),
  columns: flag(),
  by: oneOf(["distance", "owner", "kind"]),
  depth: whole(50, 1, 50),
};

/** What depends on a dataset or column, by distance, owner or kind, each with the way to it. */
export default function ImpactPage() {
  const words = useTranslations("questions.impact");
  const moment = useMoment();
  const [view, setView] = useView(FIELDS);
  const { name } = view;
  const answer = useAnswer<ImpactAnswer>(
    "/api/v2/impact",
    { name, columns: view.columns || null, depth: view.depth === 50 ? null : view.depth, as_of: moment },
    { when: name !== null },
  );
  const isColumn = name?.includes("#") ?? false;
  return (
    <Page
      title={name ? `${words("title")} ${partsOf(name).title}` : words("title")}
      head={<h1 className={styles.head}>{words("title")}</h1>}
    >
      <div className={shared.tools}>
        <Picker label={words("pick")} value={name} onPick={(id) => setView({ name: id }, { push: true })} />
        <Choice
          label={words("by")}
          value={view.by}
          options={(["distance", "owner", "kind"] as const).map((one) => [one, words(`order.${one}`)] as const)}
          onChoose={(by) => setView({ by })}
        />
        {!isColumn && (
          <label className={shared.inline}>
            <input type="checkbox" checked={view.columns} onChange={() => setView({ columns: !view.columns })} />
            {words("columns")}
          </label>
        )}
        {name && (
          <span className="push row">
            <Link to={"/lineage" as "/"} search={{ id: name, way: "downstream", steps: "5" } as never}>
              {words("canvas")}
            </Link>
            <Button
              look="bare"
              icon="download"
              disabled={!answer.data}
              onClick={() => answer.data && save(answer.data)}
            >
              {"CSV"}
            </Button>
          </span>
        )}
      </div>
      {!name ? (
        <Empty title={words("none")}>{words("noneText")}</Empty>
      ) : (
        <Answer
          of={answer}
          skeleton={<Skeleton lines={12} height={24} />}
          isEmpty={({ affected }) => affected.length === 0}
          empty={
            <Empty title={words("nothing", { name: cutMiddle(partsOf(name).title, 80) })}>{words("nothingText")}</Empty>
          }
        >
          {(found) => <Listed of={found} by={view.by} />}
        </Answer>
      )}
    </Page>
  );
}

function save({ of, affected }: ImpactAnswer): void {
  const names = [
    "id",
    "kind",
    "distance",
    "paths",
    "transformations",
    "masked",
    "owners",
    "last_used",
    "is_end",
    "source",
  ] as const;
  saveCsv(
    `impact-${partsOf(of)
      .title.replace(/[^\p{L}\p{N}_.-]+/gu, "_")
      .slice(0, 60)}`,
    names.map((name) => ({
      id: name,
      title: name,
      value: (row: Affected) => {
        const value = name === "kind" ? kindOf(row) : row[name];
        return Array.isArray(value) ? value.join(" ") : value;
      },
    })),
    affected,
  );
}

function Listed({
  of,
  by,
}: {
  of: ImpactAnswer;
  by: (typeof FIELDS)["by"] extends { read: (...a: never[]) => infer T } ? T : never;
}) {
  const words = useTranslations("questions.impact");
  const summary = summaryOf(of.affected);
  return (
    <>
      <p className={shared.sentence}>
        {words(summary.columns > 0 ? "sentenceColumns" : "sentence", {
          name: cutMiddle(partsOf(of.of).title, 80),
          ...summary,
        })}
      </p>
      {of.truncated && (
        <p className={styles.partial} role="status">
          {words("cut")}
        </p>
      )}
      {of.without_columns.length > 0 && (
        <p className={styles.partial} role="status">
          {words("silent", { count: of.without_columns.length })}
        </p>
      )}
      {groupsOf(of.affected, by).map((group) => (
        <Part key={group.id} group={group} by={by} />
      ))}
    </>
  );
}

const FIRST = 50;

function Part({ group, by }: { group: Group; by: "distance" | "owner" | "kind" }) {
  const words = useTranslations("questions.impact");
  const [all, setAll] = useState(false);
  const shown = all ? group.rows : group.rows.slice(0, FIRST);
  const title =
    by === "distance"
      ? words("steps", { count: Number(group.id) })
      : by === "kind"
        ? words(`kinds.${group.id as "dataset"}`)
        : group.id
          ? cutMiddle(group.id, 60)
          : words("noOwner");
  return (
    <section className={styles.part} aria-label={title}>
      <h2>
        <bdi>{title}</bdi> <span className="mute">{group.rows.length}</span>
      </h2>
      <ul>
        {shown.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
      {shown.length < group.rows.length && (
        <Button onClick={() => setAll(true)}>{words("all", { count: group.rows.length })}</Button>
      )}
    </section>
  );
}

function Row({ row }: { row: Affected }) {
  const words = useTranslations("questions.impact");
  const how = useTranslations("canvas.panel");
  const entity = useTranslations("pages.entity");
  const [open, setOpen] = useState(false);
  const happens = row.transformations
    .slice(0, 3)
    .map((subtype) => how(`subtype.${subtypeWord(subtype)}`))
    .join(", ");
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <Button
          look="bare"
          icon={open ? "down" : "right"}
          label={words("way", { name: cutMiddle(partsOf(row.id).title, 60) })}
          aria-expanded={open}
          disabled={!row.source}
          onClick={() => setOpen(!open)}
        />
        <span className={styles.kind}>{words(`kinds.${kindOf(row)}`)}</span>
        <span className={styles.name}>
          <Thing id={row.id} />
        </span>
        <span className={styles.how}>
          <span className={styles.says} title={happens}>
            {happens}
          </span>
          {row.retracted_at && <Badge tone="failed">{entity("retracted")}</Badge>}
          {row.masked === true && <Badge tone="stale">{how("masked")}</Badge>}
        </span>
        <span className={styles.owners}>
          <Owners owners={row.owners.slice(0, 3)} />
        </span>
        <span className={styles.used}>{row.last_used && <Time at={row.last_used} />}</span>
      </div>
      {open && row.source && (
        <div className={styles.proof}>
          <Proof from={row.source} to={row.id} />
        </div>
      )}
    </li>
  );
}
