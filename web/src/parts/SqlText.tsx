import { useMemo } from "react";
import styles from "./Sql.module.css";
import { type Span, sqlParts } from "./sqlParts";

const KINDS: Record<string, string | undefined> = {
  keyword: styles.keyword,
  built_in: styles.keyword,
  literal: styles.keyword,
  type: styles.type,
  string: styles.string,
  number: styles.number,
  comment: styles.comment,
};

export default function SqlText({ statement, spans }: { statement: string; spans: readonly Span[] }) {
  const parts = useMemo(() => sqlParts(statement, spans), [statement, spans]);
  return parts.map((part) => {
    const name = part.kind ? KINDS[part.kind] : undefined;
    return part.marked ? (
      <mark key={part.start} className={name}>
        {part.text}
      </mark>
    ) : (
      <span key={part.start} className={name}>
        {part.text}
      </span>
    );
  });
}
