import { useTranslations } from "use-intl";
import styles from "./StateDot.module.css";

export type Signal = "ok" | "running" | "failed" | "stale" | "unknown";

const SIGNALS: Record<string, Signal> = {
  SUCCEEDED: "ok",
  COMPLETED: "ok",
  COMPLETE: "ok",
  STARTED: "running",
  RUNNING: "running",
  START: "running",
  FAILED: "failed",
  FAIL: "failed",
  KILLED: "failed",
  ABORTED: "failed",
  ABORT: "failed",
  STALE: "stale",
};

/** The signal of a run's state as the server writes it; what is not known is `unknown`. */
export function signalOf(state: string | null | undefined): Signal {
  return SIGNALS[state?.toUpperCase() ?? ""] ?? "unknown";
}

/** State as colour and shape: disc ok, drop running, diamond failed, ring stale, dash unknown. With `text` also as a word. */
export function StateDot({ state, signal, text = false }: { state?: string | null; signal?: Signal; text?: boolean }) {
  const words = useTranslations("parts.state");
  const shown = signal ?? signalOf(state);
  const word = state === "KILLED" ? words("killed") : words(shown);
  return (
    <span className={styles.state} title={text ? undefined : word}>
      <svg className={styles[shown]} width={10} height={10} viewBox="0 0 10 10" aria-hidden="true">
        {shown === "ok" && <circle cx={5} cy={5} r={4} />}
        {shown === "running" && <path d="M1 9V5a4 4 0 1 1 4 4z" />}
        {shown === "failed" && <path d="M5 0l5 5-5 5-5-5z" />}
        {shown === "stale" && <circle cx={5} cy={5} r={3.5} className={styles.ring} />}
        {shown === "unknown" && <path d="M1 4h8v2H1z" />}
      </svg>
      <span className={text ? undefined : "hidden-visually"}>{word}</span>
    </span>
  );
}
