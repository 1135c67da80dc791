import type { RunItem } from "../shared/records";

export interface RunBar {
  run: RunItem;
  /** Height as a share of the highest, 0.04 to 1; of one whose duration is not known, a quarter. */
  height: number;
  known: boolean;
}

const LEAST = 0.04;

/** Runs as bars, oldest first. A few that took very much longer do not press all others to the ground: beyond four times
 * the longest of nine in ten a bar is cut at the top. */
export function runBars(runs: readonly RunItem[]): { bars: RunBar[]; most: number } {
  const ordered = [...runs].sort((a, b) => timeOf(a) - timeOf(b));
  const known = ordered.flatMap(({ duration_ms }) => (duration_ms === null ? [] : [duration_ms])).sort((a, b) => a - b);
  const usual = known[Math.max(0, Math.ceil(known.length * 0.9) - 1)] ?? 0;
  const most = Math.max(1, Math.min(known.at(-1) ?? 0, usual * 4));
  return {
    most,
    bars: ordered.map((run) => ({
      run,
      known: run.duration_ms !== null,
      height: run.duration_ms === null ? 0.25 : Math.max(LEAST, Math.min(1, run.duration_ms / most)),
    })),
  };
}

/** When a run began, as far as anything says it. */
export function timeOf(run: Pick<RunItem, "started_at" | "first_seen" | "created_at">): number {
  const at = Date.parse(run.started_at ?? run.first_seen ?? run.created_at ?? "");
  return Number.isNaN(at) ? 0 : at;
}

/** The middle duration of those that succeeded. */
export function usualDuration(runs: readonly Pick<RunItem, "duration_ms" | "status">[]): number | null {
  const known = runs
    .flatMap(({ duration_ms, status }) => (duration_ms !== null && status === "SUCCEEDED" ? [duration_ms] : []))
    .sort((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? null;
}
