import { type ReactNode, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/parts";
import styles from "./Page.module.css";

/**
 * The content of one page: its title for the browser, its head, and a panel on the right if something is selected.
 * With `fill` the content takes what is left of the window and scrolls by itself (a canvas, a long table).
 */
export function Page({
  title,
  head,
  children,
  panel,
  onPanelClose,
  fill = false,
}: {
  title: string;
  /** Instead of the title as a heading; null if the content has the `h1`. */
  head?: ReactNode;
  children: ReactNode;
  panel?: ReactNode;
  onPanelClose?: () => void;
  fill?: boolean;
}) {
  const words = useTranslations("frame");
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · Headwater`;
  }, [title]);
  return (
    <div className={`${styles.page} ${panel ? styles.withPanel : ""}`}>
      <main id="content" ref={content} tabIndex={-1} className={`${styles.content} ${fill ? styles.fill : ""}`}>
        {head === undefined ? (
          <header className={styles.head}>
            <h1>{title}</h1>
          </header>
        ) : (
          head
        )}
        {fill ? children : <div className={styles.inside}>{children}</div>}
      </main>
      {panel && (
        <aside className={styles.panel} aria-label={words("panel")}>
          {onPanelClose && (
            <Button
              look="bare"
              icon="close"
              label={words("panelClose")}
              className={styles.close}
              onClick={onPanelClose}
            />
          )}
          {panel}
        </aside>
      )}
    </div>
  );
}
