import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { cutMiddle, StateDot, Time } from "@/parts";
import { useMoment } from "@/view";
import { safeAddress } from "../run/address";
import { Facts } from "../shared/Facts";
import { datasetOf, partsOf } from "../shared/names";
import type { DatasetEntity } from "../shared/records";
import { everyOf } from "../shared/rhythm";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { kindOf } from "./kind";
import { schemaAt } from "./schema";

const NAMED = 4;

/** A dataset in sentences: what it is, who writes it and how often, who reads it, since when. */
export function InWords({ dataset }: { dataset: DatasetEntity }) {
  const words = useTranslations("pages.dataset.said");
  const moment = useMoment();
  const { use } = dataset;
  const every = use.every_ms;
  const schema = schemaAt(dataset, moment);
  const kind = kindOfPlace(dataset.namespace);
  const isTable = kindOf(dataset) === "dataset";
  const address = dataset.url ? safeAddress(dataset.url) : null;
  const sources = new Set(dataset.columns.map(({ source }) => source));
  return (
    <>
      <div className={shared.said}>
        {dataset.description && <p>{cutMiddle(dataset.description, 600)}</p>}
        <p>
          {isTable &&
            words.rich("what", {
              name: cutMiddle(partsOf(dataset.id).title, 80),
              kind: kind || "other",
              columns: schema.length,
              b: bold,
            })}{" "}
          {dataset.first_seen &&
            words.rich("since", { when: () => <Time key="first" at={dataset.first_seen} look="relative" /> })}
        </p>
        <p>
          {use.writers === 0
            ? isTable && words("notWritten")
            : words.rich(every ? "writtenEvery" : "written", {
                count: use.writers,
                b: bold,
                every: every ? everyOf(every).count : 0,
                unit: every ? everyOf(every).unit : "day",
              })}{" "}
          {use.last_attempt &&
            words.rich(lastCode(use.last_attempt.status), {
              when: () => <Time key="last" at={use.last_attempt?.at} />,
            })}
        </p>
        <Some ids={dataset.written_by} />
        {(isTable || use.readers > 0) && (
          <p>{words.rich("read", { count: use.readers, runs: use.read_runs, b: bold })}</p>
        )}
        <Some ids={dataset.read_by} />
        {sources.size > 0 && <p>{words.rich("from", { count: sources.size, b: bold })}</p>}
        <Some ids={[...new Set([...sources].map((source) => (source.includes("#") ? datasetOf(source) : source)))]} />
        {dataset.schema_versions > 1 && <p>{words("changed", { count: dataset.schema_versions - 1 })}</p>}
        {dataset.exists === false && (
          <p>{words.rich("dropped", { when: () => <Time key="dropped" at={dataset.dropped_at} /> })}</p>
        )}
      </div>
      <Facts
        of={[
          [
            words("fact.address"),
            address && (
              <a href={address} target="_blank" rel="noreferrer noopener">
                <bdi>{cutMiddle(address, 60)}</bdi>
              </a>
            ),
          ],
          [words("fact.lastWritten"), use.last_written && <Time at={use.last_written} />],
          [words("fact.lastRead"), use.last_read && <Time at={use.last_read} />],
          [
            words("fact.lastAttempt"),
            use.last_attempt && (
              <span className="row">
                <StateDot state={use.last_attempt.status} text />
                <Thing id={use.last_attempt.run} />
              </span>
            ),
          ],
          [words("fact.created"), dataset.created_at && <Time at={dataset.created_at} />],
          [words("fact.truncated"), dataset.truncated_at && <Time at={dataset.truncated_at} />],
          [
            words("fact.aliases"),
            dataset.links.length > 0 && (
              <ul className={shared.lines}>
                {dataset.links.slice(0, 12).map((link) => (
                  <li key={`${link.type} ${link.key}`}>
                    <bdi>{cutMiddle(link.id.replace(/^dataset:/, ""), 80)}</bdi>{" "}
                    <span className="mute">{words(`alias.${aliasWord(link.type)}`)}</span>
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </>
  );
}

const bold = (text: ReactNode) => (
  <b>
    <bdi>{text}</bdi>
  </b>
);

function Some({ ids }: { ids: readonly string[] }) {
  const words = useTranslations("pages.dataset.said");
  if (ids.length === 0) return null;
  return (
    <ul className={shared.lines}>
      {ids.slice(0, NAMED).map((id) => (
        <li key={id}>
          <Thing id={id} rest={false} most={36} />
        </li>
      ))}
      {ids.length > NAMED && <li className="mute">{words("more", { count: ids.length - NAMED })}</li>}
    </ul>
  );
}

const PLACES = [
  "postgres",
  "mysql",
  "mariadb",
  "oracle",
  "sqlserver",
  "snowflake",
  "bigquery",
  "redshift",
  "trino",
  "hive",
  "kafka",
  "s3",
  "gs",
  "hdfs",
  "file",
  "abfss",
] as const;

/** The kind of storage, from how a namespace begins: a word that every language has. */
export function kindOfPlace(namespace: string): (typeof PLACES)[number] | "other" {
  const scheme = (/^([a-z0-9+.-]+)(?::|$)/i.exec(namespace)?.[1] ?? "").toLowerCase();
  const same: Record<string, (typeof PLACES)[number]> = {
    postgresql: "postgres",
    mssql: "sqlserver",
    s3a: "s3",
    s3n: "s3",
    gcs: "gs",
    dbfs: "file",
    abfs: "abfss",
    wasbs: "abfss",
  };
  return same[scheme] ?? PLACES.find((place) => place === scheme) ?? "other";
}

function lastCode(status: string): "lastOk" | "lastFailed" | "lastRunning" | "lastUnknown" {
  if (status === "SUCCEEDED") return "lastOk";
  if (status === "FAILED" || status === "KILLED") return "lastFailed";
  return status === "STARTED" ? "lastRunning" : "lastUnknown";
}

function aliasWord(type: string): "RENAME" | "ADDRESS" | "SYMLINK" {
  return type === "RENAME" || type === "ADDRESS" ? type : "SYMLINK";
}
