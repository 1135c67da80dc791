import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { Search } from "@/view";
import { Button } from "./Button";
import { cutMiddle } from "./format";
import styles from "./Name.module.css";
import { useToast } from "./Toast";

export interface NameProps {
  /** The part that tells it apart. */
  title: string;
  /** The rest of the name, muted. */
  rest?: string | null | undefined;
  /** What is copied and shown on hover: the whole name. */
  whole?: string;
  /** Letters of the title before it is cut in the middle. */
  most?: number;
  to?: string;
  search?: Search;
  mono?: boolean;
  copy?: boolean;
}

/** A name: its title, the rest muted, cut in the middle, isolated against text that runs the other way. */
export function Name({ title, rest, whole = title, most = 60, to, search, mono = false, copy = false }: NameProps) {
  const words = useTranslations("parts");
  const toast = useToast();
  const shown = <bdi className={mono ? "mono" : undefined}>{cutMiddle(title, most) || words("unnamed")}</bdi>;
  return (
    <span className={styles.name} title={cutMiddle(whole, 400)}>
      {to ? (
        <Link to={to} search={(search ?? {}) as never} className={styles.title}>
          {shown}
        </Link>
      ) : (
        <span className={styles.title}>{shown}</span>
      )}
      {rest && <bdi className={styles.rest}>{cutMiddle(rest, most)}</bdi>}
      {copy && (
        <Button
          look="bare"
          icon="copy"
          label={words("copy")}
          className={styles.copy}
          onClick={() => void copyText(whole).then((done) => toast(words(done ? "copied" : "notCopied")))}
        />
      )}
    </span>
  );
}

/** Copies a text; says whether it could (browsers refuse it on pages that are not from a safe address). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
