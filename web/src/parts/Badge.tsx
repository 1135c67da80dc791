import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export type Tone = "plain" | "accent" | "ok" | "running" | "failed" | "stale";

/** A short word on a ground of its own: a tag, a kind, a count. */
export function Badge({ tone = "plain", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`} title={title}>
      <bdi>{children}</bdi>
    </span>
  );
}
