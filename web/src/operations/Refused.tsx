import { useState } from "react";
import { useTranslations } from "use-intl";
import { type components, request, useAnswer, useForget } from "@/api";
import { Answer, Badge, Button, Dialog, Empty, Figure, Table, Time, useToast } from "@/parts";
import styles from "./Operations.module.css";

type Group = components["schemas"]["DeadLetterGroup"];

/** Refused events by reason and producer, each with an example and a retry. */
export function Refused() {
  const words = useTranslations("operations.refused");
  const toast = useToast();
  const forget = useForget();
  const found = useAnswer("/api/v2/dead-letters/groups", {}, { every: 10_000 });
  const [busy, setBusy] = useState<string | null>(null);
  const [shown, setShown] = useState<Group | null>(null);
  const retry = async (group: Group) => {
    setBusy(keyOf(group));
    try {
      const { taken, refused } = await request<{ taken: number; refused: number }>(
        "POST",
        "/api/v2/dead-letters/retry",
        { query: { reason: group.reason, source: group.source } },
      );
      toast(words("retried", { taken, refused }));
      await forget("/api/v2/dead-letters");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(null);
    }
  };
  return (
    <>
      <Answer
        of={found}
        isEmpty={({ groups }) => groups.length === 0}
        empty={<Empty title={words("none")}>{words("noneText")}</Empty>}
      >
        {({ groups, total }) => (
          <Table<Group>
            label={words("label")}
            rows={groups}
            keyOf={keyOf}
            controls={<span className="mute">{words("total", { count: total })}</span>}
            columns={[
              {
                id: "reason",
                title: words("reason"),
                value: (row) => row.reason,
                cell: (row) => <Badge tone="failed">{row.reason}</Badge>,
                width: 180,
              },
              { id: "source", title: words("source"), value: (row) => row.source, width: 120 },
              {
                id: "count",
                title: words("count"),
                value: (row) => row.count,
                cell: (row) => <Figure value={row.count} />,
                number: true,
                width: 90,
              },
              {
                id: "last",
                title: words("last"),
                value: (row) => row.last_at,
                cell: (row) => <Time at={row.last_at} />,
                width: 140,
              },
              { id: "message", title: words("message"), value: (row) => row.example?.message },
              {
                id: "acts",
                title: words("acts"),
                value: () => null,
                fixed: true,
                width: 210,
                cell: (row) => (
                  <span className="row">
                    <Button look="bare" onClick={() => setShown(row)}>
                      {words("example")}
                    </Button>
                    <Button icon="run" disabled={busy !== null} onClick={() => void retry(row)}>
                      {words("retry")}
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Answer>
      <Dialog title={words("example")} open={shown !== null} onClose={() => setShown(null)}>
        {shown?.example && <Example of={shown.example} />}
      </Dialog>
    </>
  );
}

function keyOf({ reason, source }: Group): string {
  return `${reason} ${source}`;
}

/** What was refused and why, with the event as it was sent. */
function Example({ of }: { of: components["schemas"]["DeadLetterAnswer"] }) {
  const words = useTranslations("operations.refused");
  const whole = useAnswer<components["schemas"]["DeadLetterEntity"]>(`/api/v2/dead-letters/${of.id}`);
  return (
    <div className="stack">
      <p>
        <bdi>{of.message}</bdi>
      </p>
      <p className="mute">
        <Time at={of.received_at} /> {of.path && <code>{of.path}</code>} {of.key && words("byKey", { key: of.key })}
      </p>
      <Answer of={whole}>
        {({ body }) => (
          <pre className={styles.body} tabIndex={0} aria-label={words("body")}>
            {body.slice(0, 20_000)}
          </pre>
        )}
      </Answer>
    </div>
  );
}
