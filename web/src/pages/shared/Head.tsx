import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { kindWord } from "@/frame/SearchBox";
import { Button, copyText, cutMiddle, useToast } from "@/parts";
import styles from "./shared.module.css";

/** The head of a thing's page: kind, the part of its name that tells it apart, the rest muted, then a line of facts. */
export function Head({
  kind,
  title,
  rest,
  whole,
  mono = false,
  children,
  actions,
}: {
  kind: string;
  title: string;
  rest?: string | null;
  whole: string;
  mono?: boolean;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  const words = useTranslations("frame");
  const copying = useTranslations("parts");
  const toast = useToast();
  return (
    <header className={styles.head}>
      <div className={styles.names}>
        <span className={styles.kind}>{words(`kind.${kindWord(kind)}`)}</span>
        <h1 title={cutMiddle(whole, 400)} className={mono ? "mono" : undefined}>
          <bdi>{cutMiddle(title, 80) || copying("unnamed")}</bdi>
        </h1>
        {rest && <bdi className={styles.rest}>{cutMiddle(rest, 120)}</bdi>}
        <Button
          look="bare"
          icon="copy"
          label={copying("copy")}
          onClick={() => void copyText(whole).then((done) => toast(copying(done ? "copied" : "notCopied")))}
        />
        <span className="push row">{actions}</span>
      </div>
      {children && <div className="row-wrap">{children}</div>}
    </header>
  );
}
