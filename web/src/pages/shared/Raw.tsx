import { useTranslations } from "use-intl";
import { Button, copyText, Empty, useToast } from "@/parts";
import styles from "./shared.module.css";

const MOST = 200_000;

/** JSON as it is, to read and to copy. */
export function Raw({ of, about }: { of: unknown; about?: string }) {
  const words = useTranslations("pages.entity");
  const copying = useTranslations("parts");
  const toast = useToast();
  const text = JSON.stringify(of, null, 2) ?? "";
  if (!of || text === "{}" || text === "[]") return <Empty title={words("rawNone")}>{words("rawNoneText")}</Empty>;
  return (
    <div className="stack">
      <div className="row">
        {about && <span className="mute">{about}</span>}
        <span className="push">
          <Button
            icon="copy"
            onClick={() => void copyText(text).then((done) => toast(copying(done ? "copied" : "notCopied")))}
          >
            {copying("copy")}
          </Button>
        </span>
      </div>
      <pre className={styles.raw} tabIndex={0}>
        {text.length > MOST ? `${text.slice(0, MOST)}…` : text}
      </pre>
    </div>
  );
}
