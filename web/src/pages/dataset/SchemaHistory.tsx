import { useTranslations } from "use-intl";
import { Badge, cutMiddle, Empty, Time } from "@/parts";
import { useMoment } from "@/view";
import type { DatasetEntity } from "../shared/records";
import styles from "./dataset.module.css";
import { schemaLines } from "./schema";

const MOST_LINES = 200;

/** The schemas that a dataset had, newest first, each as the difference from the one before. */
export function SchemaHistory({ dataset }: { dataset: DatasetEntity }) {
  const words = useTranslations("pages.dataset.history");
  const moment = useMoment();
  const ordered = [...dataset.schema_history].sort(
    (a, b) => Date.parse(a.first_seen ?? "") - Date.parse(b.first_seen ?? ""),
  );
  const known = moment
    ? ordered.filter(({ first_seen }) => first_seen !== null && Date.parse(first_seen) <= Date.parse(moment))
    : ordered;
  if (known.length === 0) return <Empty title={words("none")}>{words("noneText")}</Empty>;
  const held = moment ? known.at(-1)?.id : dataset.schema_id;
  return (
    <ol className={styles.versions}>
      {known
        .map((version, place) => ({ version, lines: place === 0 ? [] : schemaLines(version, known[place - 1]), place }))
        .reverse()
        .map(({ version, lines, place }) => (
          <li key={version.id} className={styles.version}>
            <header className="row-wrap">
              <h2>
                <Time at={version.first_seen} look="exact" />
              </h2>
              {version.id === held && <Badge tone="accent">{words("holds")}</Badge>}
              <span className="mute">{words("columns", { count: version.fields.length })}</span>
              {version.used_as.length > 0 && !version.used_as.includes("OUTPUT") && (
                <span className="mute">{words("onlyRead")}</span>
              )}
              <span className="mute">
                {words.rich("until", { when: () => <Time key="last" at={version.last_seen} /> })}
              </span>
            </header>
            {place === 0 ? (
              <p className="mute">{words("first")}</p>
            ) : lines.length === 0 ? (
              <p className="mute">{words("same")}</p>
            ) : (
              <ul className={styles.lines}>
                {lines.slice(0, MOST_LINES).map(({ change, name, before, after }) => (
                  <li key={`${change} ${name}`} className={styles[change]}>
                    <span className={styles.sign} aria-hidden="true">
                      {SIGNS[change]}
                    </span>
                    <span className="hidden-visually">{words(change)}</span>
                    <bdi className="mono">{cutMiddle(name, 80)}</bdi>
                    <span className="mono mute">
                      {change === "changed" ? (
                        <>
                          <bdi>{cutMiddle(before ?? "?", 60)}</bdi>
                          {" → "}
                          <bdi>{cutMiddle(after ?? "?", 60)}</bdi>
                        </>
                      ) : (
                        <bdi>{cutMiddle((change === "added" ? after : before) ?? "", 60)}</bdi>
                      )}
                    </span>
                  </li>
                ))}
                {lines.length > MOST_LINES && <li>{words("more", { count: lines.length - MOST_LINES })}</li>}
              </ul>
            )}
          </li>
        ))}
    </ol>
  );
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;
