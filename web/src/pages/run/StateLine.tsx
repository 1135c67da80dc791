import { useTranslations } from "use-intl";
import { Duration, StateDot, Time } from "@/parts";
import type { RunEntity } from "../shared/records";
import styles from "./run.module.css";

/** The states of a run as a line: created, started, ended, with the time between. */
export function StateLine({ run }: { run: RunEntity }) {
  const words = useTranslations("pages.run.state");
  const stops: { word: string; at: string; state: string | null }[] = [];
  const created = run.created_at && run.created_at !== run.started_at ? run.created_at : null;
  if (created) stops.push({ word: words("created"), at: created, state: null });
  const started = run.started_at ?? run.first_seen;
  if (started) stops.push({ word: words(run.started_at ? "started" : "firstSeen"), at: started, state: "STARTED" });
  if (run.ended_at) stops.push({ word: words(endWord(run.status)), at: run.ended_at, state: run.status });
  stops.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (stops.length === 0) return <p className="mute">{words("none")}</p>;
  return (
    <ol className={styles.line}>
      {stops.map(({ word, at, state }, place) => {
        const next = stops[place + 1];
        return (
          <li key={word} className={styles.stop}>
            <span className={styles.dot}>
              {state ? (
                <StateDot state={state === "STARTED" && next ? "SUCCEEDED" : state} />
              ) : (
                <StateDot signal="unknown" />
              )}
              {next && (
                <span className={styles.between}>
                  <span className={styles.lasted}>
                    <Duration milliseconds={Date.parse(next.at) - Date.parse(at)} />
                  </span>
                </span>
              )}
              {!next && run.status === "STARTED" && <span className={styles.goesOn} />}
            </span>
            <b>{word}</b>
            <Time at={at} look="exact" />
          </li>
        );
      })}
      {run.status === "STARTED" && (
        <li className={styles.stop}>
          <span className={styles.dot}>
            <StateDot state="STARTED" />
          </span>
          <b>{words("running")}</b>
          <span className="mute">{words("runningAbout")}</span>
        </li>
      )}
    </ol>
  );
}

function endWord(status: string): "succeeded" | "failed" | "killed" | "ended" {
  if (status === "SUCCEEDED") return "succeeded";
  if (status === "FAILED") return "failed";
  return status === "KILLED" ? "killed" : "ended";
}
