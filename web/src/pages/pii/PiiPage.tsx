import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { Page } from "@/frame/Page";
import { Answer, Badge, Button, cutMiddle, Empty, saveCsv, Skeleton, type Tone } from "@/parts";
import { optional, useMoment, useView } from "@/view";
import { partsOf } from "../shared/names";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { Proof } from "../shared/Way";
import { type Affected, type Arrival, arrivalOf, byRisk, tagsInOrder } from "./order";
import styles from "./PiiPage.module.css";

type ImpactAnswer = components["schemas"]["ImpactAnswer"];
type Tags = components["schemas"]["PageOfTagItem"];

const FIELDS = { tag: optional() };
const TONES: Record<Arrival, Tone> = { bare: "failed", unknown: "stale", masked: "ok", decides: "plain" };

/** Per tag: which columns its values reach, masked or not, each with the way as a proof. */
export default function PiiPage() {
  const words = useTranslations("questions.pii");
  const [{ tag }, setView] = useView(FIELDS);
  const answer = useAnswer<Tags>("/api/v2/tags", { limit: 500 });
  return (
    <Page title={words("title")}>
      <Answer
        of={answer}
        skeleton={<Skeleton lines={10} height={24} />}
        isEmpty={({ items }) => items.length === 0}
        empty={<Empty title={words("none")}>{words("noneText")}</Empty>}
      >
        {({ items }) => {
          const tags = tagsInOrder(items);
          const shown = tag ?? tags[0]?.tag ?? null;
          return (
            <div className={styles.sides}>
              <nav aria-label={words("tags")} className={styles.tags}>
                {tags.map((one) => (
                  <Link
                    key={one.tag}
                    to={"/pii" as "/"}
                    search={{ tag: one.tag } as never}
                    aria-current={one.tag === shown ? "page" : undefined}
                    className={`${styles.tag} ${one.tag === shown ? styles.here : ""}`}
                    onClick={() => setView({ tag: one.tag })}
                  >
                    <bdi title={cutMiddle(one.tag, 200)}>{cutMiddle(one.tag, 28)}</bdi>
                    <span className="mute">{one.columns + one.datasets}</span>
                  </Link>
                ))}
              </nav>
              {shown && <OfTag tag={shown} />}
            </div>
          );
        }}
      </Answer>
    </Page>
  );
}

function OfTag({ tag }: { tag: string }) {
  const words = useTranslations("questions.pii");
  const moment = useMoment();
  const answer = useAnswer<ImpactAnswer>("/api/v2/impact", { tag, as_of: moment });
  return (
    <section className={shared.part} aria-label={tag}>
      <Answer
        of={answer}
        skeleton={<Skeleton lines={10} height={24} />}
        isEmpty={({ affected }) => affected.length === 0}
        empty={<Empty title={words("nowhere", { tag: cutMiddle(tag, 60) })}>{words("nowhereText")}</Empty>}
      >
        {(found) => <Reached tag={tag} of={found} />}
      </Answer>
    </section>
  );
}

function Reached({ tag, of }: { tag: string; of: ImpactAnswer }) {
  const words = useTranslations("questions.pii");
  const parts = useMemo(() => byRisk(of.affected), [of]);
  const bare = of.affected.filter((row) => arrivalOf(row) === "bare");
  const datasets = new Set(of.affected.map((row) => `${row.namespace}\n${row.name}`)).size;
  return (
    <>
      <div className="row">
        <p className={shared.sentence}>
          {words.rich("sentence", {
            tag: cutMiddle(tag, 60),
            columns: of.affected.length,
            datasets,
            ends: bare.filter((row) => row.is_end).length,
            b: (text) => <b>{text}</b>,
          })}
        </p>
        <Button look="bare" icon="download" className="push" onClick={() => save(tag, of.affected)}>
          {"CSV"}
        </Button>
      </div>
      {of.truncated && (
        <p className="mute" role="status">
          {words("cut")}
        </p>
      )}
      {parts.map(({ arrival, rows }) => (
        <Part key={arrival} arrival={arrival} rows={rows} />
      ))}
    </>
  );
}

const FIRST = 40;

function Part({ arrival, rows }: { arrival: Arrival; rows: readonly Affected[] }) {
  const words = useTranslations("questions.pii");
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, FIRST);
  return (
    <section className={styles.part} aria-label={words(`arrival.${arrival}`)}>
      <h2 className="row">
        <Badge tone={TONES[arrival]}>{words(`arrival.${arrival}`)}</Badge>
        <span className="mute">{rows.length}</span>
        <span className={styles.about}>{words(`about.${arrival}`)}</span>
      </h2>
      <ul>
        {shown.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
      {shown.length < rows.length && (
        <Button onClick={() => setAll(true)}>{words("all", { count: rows.length })}</Button>
      )}
    </section>
  );
}

function Row({ row }: { row: Affected }) {
  const words = useTranslations("questions.pii");
  const [open, setOpen] = useState(false);
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <Button
          look="bare"
          icon={open ? "down" : "right"}
          label={words("proof", { name: cutMiddle(partsOf(row.id).title, 60) })}
          aria-expanded={open}
          disabled={!row.source}
          onClick={() => setOpen(!open)}
        />
        <span className={styles.name}>
          <Thing id={row.id} />
        </span>
        {row.is_end && <Badge>{words("end")}</Badge>}
        {row.source && (
          <span className={styles.from}>
            {words("from")} <Thing id={row.source} rest={false} />
          </span>
        )}
        <span className="mute">{words("steps", { count: row.distance })}</span>
      </div>
      {open && row.source && (
        <div className={styles.proof}>
          <Proof from={row.source} to={row.id} />
          <Link
            to={"/lineage" as "/"}
            search={{ id: row.id, way: "upstream", steps: String(Math.min(20, row.distance)) } as never}
          >
            {words("canvas")}
          </Link>
        </div>
      )}
    </li>
  );
}

function save(tag: string, rows: readonly Affected[]): void {
  const columns = ["id", "source", "distance", "is_end", "owners", "last_used"] as const;
  saveCsv(
    `pii-${tag.replace(/[^\p{L}\p{N}_.-]+/gu, "_").slice(0, 60)}`,
    [
      { id: "arrival", title: "arrival", value: (row: Affected) => arrivalOf(row) },
      ...columns.map((name) => ({
        id: name,
        title: name,
        value: (row: Affected) => {
          const value = row[name];
          return Array.isArray(value) ? value.join(" ") : value;
        },
      })),
    ],
    rows,
  );
}
