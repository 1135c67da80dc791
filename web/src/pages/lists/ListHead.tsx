import { Link } from "@tanstack/react-router";
import { useLocale, useTranslations } from "use-intl";
import { number } from "@/parts";
import styles from "./ListPage.module.css";
import { type ListName, LISTS } from "./spec";

/** The head of a list: its name, how many there are, and the other lists. */
export function ListHead({ of, total }: { of: ListName | "edits"; total: number | null }) {
  const words = useTranslations("pages.lists");
  const locale = useLocale();
  return (
    <header className={styles.head}>
      <div className="row">
        <h1>{words(`title.${of}`)}</h1>
        {total !== null && <span className="mute">{number(total, locale)}</span>}
      </div>
      <nav className={styles.lists} aria-label={words("others")}>
        {LISTS.map((list) => (
          <Link
            key={list}
            to={list === "sql" ? "/statements" : `/${list}`}
            className={list === of ? styles.here : undefined}
            aria-current={list === of ? "page" : undefined}
          >
            {words(`title.${list}`)}
          </Link>
        ))}
        <Link
          to="/edits"
          className={of === "edits" ? styles.here : undefined}
          aria-current={of === "edits" ? "page" : undefined}
        >
          {words("title.edits")}
        </Link>
      </nav>
    </header>
  );
}
