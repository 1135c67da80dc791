import { lazy, Suspense } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import { copyText } from "./Name";
import styles from "./Sql.module.css";
import type { Span } from "./sqlParts";
import { useToast } from "./Toast";

const SqlText = lazy(() => import("./SqlText"));
const NO_SPANS: readonly Span[] = [];

/** A statement with its words coloured and the stretches that matter marked. The highlighter is a chunk of its own. */
export function Sql({
  statement,
  spans = NO_SPANS,
  dialect,
}: {
  statement: string;
  spans?: readonly Span[];
  dialect?: string | null;
}) {
  const words = useTranslations("parts");
  const toast = useToast();
  return (
    <div className={styles.whole}>
      <div className={styles.tools}>
        {dialect && <span className="mute">{dialect}</span>}
        <Button
          look="bare"
          icon="copy"
          label={words("copy")}
          onClick={() => void copyText(statement).then((done) => toast(words(done ? "copied" : "notCopied")))}
        />
      </div>
      <pre className={styles.sql} tabIndex={0}>
        <code>
          <Suspense fallback={statement}>
            <SqlText statement={statement} spans={spans} />
          </Suspense>
        </code>
      </pre>
    </div>
  );
}
