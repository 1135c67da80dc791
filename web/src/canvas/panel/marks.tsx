import type { ReactNode } from "react";
import styles from "./Panel.module.css";

/** Names in a sentence. */
export const strong = (text: ReactNode) => <bdi className={styles.strong}>{text}</bdi>;
export const mono = (text: ReactNode) => <bdi className="mono">{text}</bdi>;

const SUBTYPES = [
  "IDENTITY",
  "TRANSFORMATION",
  "AGGREGATION",
  "FILTER",
  "JOIN",
  "GROUP_BY",
  "SORT",
  "WINDOW",
  "CONDITIONAL",
] as const;

/** The word for a transformation; there is one for those that are not known. */
export function subtypeWord(subtype: string): (typeof SUBTYPES)[number] | "UNKNOWN" {
  return SUBTYPES.find((one) => one === subtype) ?? "UNKNOWN";
}
