import { useState } from "react";
import { useTranslations } from "use-intl";
import { currentTenant } from "@/api";
import { kindWord } from "@/frame/SearchBox";
import { partsOf } from "@/pages/shared/names";
import { Thing } from "@/pages/shared/Thing";
import { Time } from "@/parts";
import styles from "./home.module.css";
import { lookedAt } from "./lookedAt";

const LISTED = 5;

/** What was looked at last in this browser. */
export function LookedBox() {
  const words = useTranslations("home.looked");
  const frame = useTranslations("frame");
  const [list] = useState(() => lookedAt(currentTenant()));
  if (list.length === 0) return <p className="mute">{words("none")}</p>;
  return (
    <ul className={styles.list}>
      {list.slice(0, LISTED).map(({ id, at }) => (
        <li key={id} className={styles.item}>
          <span className={styles.kind}>{frame(`kind.${kindWord(partsOf(id).kind)}`)}</span>
          <span className={styles.what}>
            <Thing id={id} most={40} />
          </span>
          <Time at={new Date(at).toISOString()} />
        </li>
      ))}
    </ul>
  );
}
