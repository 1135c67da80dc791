import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { useChangeSentence } from "@/pages/changes/useChangeSentence";
import { Thing } from "@/pages/shared/Thing";
import { Answer, Icon, type IconName, Skeleton, Time } from "@/parts";
import { Nothing } from "./FailedBox";
import styles from "./home.module.css";
import { More } from "./More";

const ICONS: Record<string, IconName> = {
  schema: "columns",
  lineage: "link",
  created: "plus",
  dropped: "minus",
  truncated: "minus",
  renamed: "pen",
};
const KINDS = ["schema", "lineage", "created", "dropped", "renamed"] as const;

/** Changes of schema and lineage in the last seven days. */
export function ChangesBox({ window }: { window: { since?: string; until?: string } }) {
  const words = useTranslations("home.changes");
  const said = useChangeSentence();
  const answer = useAnswer("/api/v2/changes", { limit: 6, kind: [...KINDS], ...window }, { keep: true });
  return (
    <Answer
      of={answer}
      skeleton={<Skeleton lines={6} />}
      isEmpty={({ items }) => items.length === 0}
      empty={<Nothing text={words("none")} />}
    >
      {(list) => (
        <>
          <ul className={styles.list}>
            {list.items.map((change, place) => (
              <li key={`${change.at} ${change.of.key} ${place}`} className={styles.item}>
                <Icon name={ICONS[change.kind] ?? "change"} size={14} />
                <span className={styles.what}>
                  <span className={styles.said}>
                    <bdi>{said(change)}</bdi>
                  </span>
                  <span className={styles.feeds}>
                    <Thing id={change.of.id} most={36} />
                  </span>
                </span>
                <Time at={change.at} />
              </li>
            ))}
          </ul>
          {list.total > list.items.length && <More count={list.total - list.items.length} onAll={null} />}
        </>
      )}
    </Answer>
  );
}
