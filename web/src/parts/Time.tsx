import { useSyncExternalStore } from "react";
import { useLocale } from "use-intl";
import { age, duration, exactTime, relativeTime } from "./format";

/** Where something is not known. */
export const UNKNOWN = "–";

const TICK = 30_000;
let now = Date.now();
const waiting = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | null = null;

function subscribe(changed: () => void): () => void {
  waiting.add(changed);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const call of waiting) call();
  }, TICK);
  return () => {
    waiting.delete(changed);
    if (waiting.size === 0 && ticking !== null) {
      clearInterval(ticking);
      ticking = null;
    }
  };
}

/** The present, to half a minute; everything drawn with it moves on together. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export interface TimeProps {
  /** ISO 8601, or null where it is not known. */
  at: string | null | undefined;
  /** `age`: "3h"; `relative`: "3 hours ago"; `exact`: date and time. */
  look?: "relative" | "age" | "exact";
}

/** A moment: relative, with the exact one on hover; a dash where it is not known. */
export function Time({ at, look = "relative" }: TimeProps) {
  const locale = useLocale();
  const present = useNow();
  const value = at ? Date.parse(at) : Number.NaN;
  if (!at || Number.isNaN(value)) return <span className="mute">{UNKNOWN}</span>;
  const exact = exactTime(value, locale);
  const until = value - present < TICK ? Math.max(present, value) : present; // what came since the last tick is now, not ahead
  const shown =
    look === "exact" ? exact : look === "age" ? age(value, until, locale) : relativeTime(value, until, locale);
  return (
    <time dateTime={at} title={exact}>
      {shown}
    </time>
  );
}

export function Duration({ milliseconds }: { milliseconds: number | null | undefined }) {
  const locale = useLocale();
  if (milliseconds === null || milliseconds === undefined) return <span className="mute">{UNKNOWN}</span>;
  return <span>{duration(milliseconds, locale)}</span>;
}
