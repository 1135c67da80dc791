import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { components } from "@/api";
import { Badge, Button, Empty, exactTime, FailureNote, Skeleton, Time } from "@/parts";
import { routeOf } from "../shared/names";
import { Raw } from "../shared/Raw";
import type { RunEntity } from "../shared/records";
import { usePages } from "../shared/usePages";
import styles from "./run.module.css";

type RunEvent = components["schemas"]["RunEvent"];

/** The events of a run as they were sent, earliest first. */
export function Events({ run }: { run: RunEntity }) {
  const words = useTranslations("pages.run");
  const locale = useLocale();
  const found = usePages<RunEvent>(`${routeOf("runs", run.id)}/events`, { limit: 20 });
  const [open, setOpen] = useState<number | null>(null);
  if (found.error && !found.known)
    return found.error.kind === "not_found" ? (
      <Empty title={words("noEvents")}>{words("noEventsText")}</Empty>
    ) : (
      <FailureNote error={found.error} onRetry={found.again} />
    );
  if (!found.known) return <Skeleton lines={6} height={28} />;
  return (
    <>
      <p className="mute">{words("eventsAbout", { count: found.total })}</p>
      <ol className="stack">
        {found.rows.map((event, place) => (
          <li key={`${event.event_time} ${place}`} className={styles.event}>
            <button
              type="button"
              className={styles.eventHead}
              aria-expanded={open === place}
              onClick={() => setOpen(open === place ? null : place)}
            >
              <Badge>{event.type ?? "?"}</Badge>
              <span>{exactTime(Date.parse(event.event_time), locale)}</span>
              <span className="mute">
                {words("received")} <Time at={event.received_at} />
              </span>
              {event.warnings.length > 0 && (
                <Badge tone="stale">{words("warnings", { count: event.warnings.length })}</Badge>
              )}
            </button>
            {open === place && (
              <div className="stack">
                {event.warnings.map((warning) => (
                  <p key={`${warning.path} ${warning.message}`}>
                    <code>{warning.path}</code> <bdi>{warning.message}</bdi>
                  </p>
                ))}
                <Raw of={event.body} />
              </div>
            )}
          </li>
        ))}
      </ol>
      {found.isMore && (
        <Button disabled={found.isLoadingMore} onClick={found.more}>
          {words("moreEvents", { shown: found.rows.length, total: found.total })}
        </Button>
      )}
    </>
  );
}
