import { useLocale, useTranslations } from "use-intl";
import { EdgeDialog } from "@/pages/edits/EdgeDialog";
import { cutMiddle } from "@/parts";
import styles from "./link.module.css";
import type { Refusal } from "./rules";
import type { LinkState } from "./useLinking";

/** While an edge is drawn by hand: its line and what it would do, or why it may not; then the dialog that makes it. */
export function LinkLayer({ of: { linking, over, asked, close, line } }: { of: LinkState }) {
  const words = useTranslations("canvas.link");
  const refused = useRefusal();
  const { from } = linking;
  const refusal = over && linking.refusal(over);
  const title = (name: string) => cutMiddle(name, 60);
  return (
    <>
      {from && (
        <>
          <svg className={styles.layer} aria-hidden="true">
            <line ref={line} className={`${styles.line} ${refusal ? styles.no : ""}`} />
          </svg>
          <p className={`${styles.hint} ${refusal ? styles.no : ""}`} role="status">
            {refusal
              ? refused(refusal)
              : over
                ? words("would", { from: title(from.title), to: title(over.title) })
                : words("begin", { from: title(from.title) })}
          </p>
        </>
      )}
      {asked && <EdgeDialog from={asked.from.id} to={asked.to?.id ?? null} wanted="feeds" onClose={close} />}
    </>
  );
}

/** Why an edge may not lead somewhere, as a sentence. */
export function useRefusal(): (refusal: Refusal) => string {
  const words = useTranslations("canvas.link");
  const locale = useLocale();
  return (refusal) => {
    if (refusal.code === "same") return words("same");
    const kind = words(`kind.${kindWord(refusal.kind)}`);
    if (refusal.code === "never") return words("never", { kind });
    const list = new Intl.ListFormat(locale);
    return words("fedBy", {
      kind,
      allowed: list.format(refusal.allowed.map((one) => words(`kinds.${kindWord(one)}`))),
    });
  };
}

const KINDS = ["dataset", "chart", "dashboard", "job", "column"] as const;

function kindWord(kind: string): (typeof KINDS)[number] | "other" {
  return KINDS.find((one) => one === kind) ?? "other";
}
