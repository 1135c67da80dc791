import { Outlet } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import styles from "./Frame.module.css";
import { Rail } from "./Rail";
import { TopBar } from "./TopBar";

/** What is around every page. */
export function Frame({ paths }: { paths: ReadonlySet<string> }) {
  const words = useTranslations("frame");
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={() => document.getElementById("content")?.focus()}>
        {words("skip")}
      </button>
      <TopBar />
      <Rail paths={paths} />
      <div className={styles.content}>
        <Outlet />
      </div>
    </div>
  );
}
