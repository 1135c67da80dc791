import type { ReactNode } from "react";
import styles from "./shared.module.css";

/** Pairs of a word and what belongs to it; those without a value are left out. */
export function Facts({ of }: { of: readonly (readonly [string, ReactNode])[] }) {
  const known = of.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  if (known.length === 0) return null;
  return (
    <dl className={styles.facts}>
      {known.map(([word, value]) => (
        <div key={word} className={styles.fact}>
          <dt>{word}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A part of a page with a heading. */
export function Part({
  title,
  about,
  side,
  children,
}: {
  title: string;
  about?: ReactNode;
  side?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.part} aria-label={title}>
      <header className="row">
        <h2>{title}</h2>
        {about && <span className="mute">{about}</span>}
        {side && <span className="push row">{side}</span>}
      </header>
      {children}
    </section>
  );
}
