import { useTranslations } from "use-intl";
import { Dialog } from "@/parts";
import styles from "./tools.module.css";

const KEYS = [
  ["← ↑ → ↓", "walk"],
  ["Enter", "enter"],
  ["Esc", "escape"],
  ["c", "columns"],
  ["e", "edge"],
  ["o", "open"],
  ["l", "link"],
  ["f", "find"],
  ["0", "fit"],
  ["+ −", "zoom"],
  ["t", "tidy"],
] as const;

const LINES = ["direct", "indirect", "unknown", "old", "masked", "byHand"] as const;

/** What the keys do, and what the lines mean. */
export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  const words = useTranslations("canvas.help");
  return (
    <Dialog title={words("title")} open={open} onClose={onClose}>
      <dl className={styles.keys}>
        {KEYS.map(([key, word]) => (
          <div key={word} className={styles.pair}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words(`keys.${word}`)}</dd>
          </div>
        ))}
      </dl>
      <h3>{words("lines")}</h3>
      <ul className={styles.stack}>
        {LINES.map((line) => (
          <li key={line} className={styles.legend}>
            <svg width={40} height={14} aria-hidden="true">
              <path d="M2 7h36" className={`${styles.sample} ${styles[line]}`} />
              {line === "masked" && (
                <path d="M20 1l5 2v4c0 3-2.200 5-5 6-2.800-1-5-3-5-6v-4z" className={styles.shield} />
              )}
              {line === "byHand" && <path d="M15 12l.6-2.600L23 2l2 2-7.400 7.400z" className={styles.pen} />}
            </svg>
            {words(`line.${line}`)}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
