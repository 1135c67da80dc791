import { type InputHTMLAttributes, type ReactNode, useEffect, useState } from "react";
import styles from "./shared.module.css";

const PAUSE = 250;

/** A text field that tells what was typed after a pause; what it shows follows the address. */
export function Typed({
  label,
  value,
  onType,
  width = 180,
  list,
}: {
  label: string;
  value: string;
  onType: (value: string) => void;
  width?: number;
  list?: string;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const waiting = setTimeout(() => onType(typed), PAUSE);
    return () => clearTimeout(waiting);
  });
  return (
    <input
      className={styles.input}
      style={{ width }}
      value={typed}
      maxLength={2000}
      placeholder={label}
      aria-label={label}
      list={list}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => event.key === "Enter" && onType(typed)}
    />
  );
}

/** A choice of a few words. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
}) {
  return (
    <label className={styles.inline}>
      {label}
      <select className={styles.input} value={value} onChange={(event) => onChoose(event.target.value as T)}>
        {options.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A field of a form below its label. */
export function Labelled({
  label,
  children,
  ...rest
}: { label: string; children?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className={styles.label}>
      {label}
      {children ?? <input className={styles.input} {...rest} />}
    </label>
  );
}
