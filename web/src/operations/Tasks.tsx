import { useState } from "react";
import { useTranslations } from "use-intl";
import { type components, request, useAnswer, useForget } from "@/api";
import { Answer, Badge, Button, cutMiddle, Dialog, Empty, Figure, Table, Time, type Tone, useToast } from "@/parts";
import { Batches } from "./Batches";
import styles from "./Operations.module.css";

type Task = components["schemas"]["TaskAnswer"];
type State = Task["state"];

const STATES: readonly State[] = ["PENDING", "RUNNING", "FAILED", "DEAD", "SUCCEEDED", "CANCELED"];
const TONES: Record<State, Tone> = {
  PENDING: "plain",
  RUNNING: "running",
  SUCCEEDED: "ok",
  FAILED: "stale",
  DEAD: "failed",
  CANCELED: "plain",
};
const LOOK_AGAIN = 5000;

/** Work after the commit: tasks with their attempts, batches, and models that are paused. */
export function Tasks() {
  const words = useTranslations("operations.tasks");
  const toast = useToast();
  const forget = useForget();
  const [state, setState] = useState<State | "">("");
  const [shown, setShown] = useState<Task | null>(null);
  const found = useAnswer("/api/v2/tasks", { state: state ? [state] : undefined }, { every: LOOK_AGAIN, keep: true });
  const act = async (path: string, query?: { model: string }) => {
    try {
      await request("POST", path, { query });
      await forget("/api/v2/tasks");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="stack">
      <Answer of={found}>
        {({ tasks, counts, paused, next }) => (
          <>
            {paused.map((pause) => (
              <p key={`${pause.type} ${pause.model}`} className={styles.warning}>
                {words("paused", { type: pause.type })} <code>{pause.model}</code> <bdi>{pause.message}</bdi>{" "}
                {pause.until && (
                  <>
                    {words("until")} <Time at={pause.until} />{" "}
                  </>
                )}
                <Button icon="run" onClick={() => void act("/api/v2/tasks/resume", { model: pause.model })}>
                  {words("resume")}
                </Button>
              </p>
            ))}
            <Table<Task>
              label={words("label")}
              rows={tasks}
              keyOf={(row) => row.id}
              empty={<Empty title={words("none")}>{words("noneText")}</Empty>}
              controls={
                <>
                  <label className="row">
                    {words("show")}
                    <select
                      className={styles.choice}
                      value={state}
                      onChange={(event) => setState(event.target.value as State | "")}
                    >
                      <option value="">{words("all")}</option>
                      {STATES.map((each) => (
                        <option key={each} value={each}>
                          {`${words(`state.${each}`)} (${counts[each] ?? 0})`}
                        </option>
                      ))}
                    </select>
                  </label>
                  {next && <span className="mute">{words("more")}</span>}
                  {(counts.DEAD ?? 0) > 0 && (
                    <span className="push">
                      <Button icon="run" onClick={() => void act("/api/v2/tasks/retry")}>
                        {words("retryDead", { count: counts.DEAD ?? 0 })}
                      </Button>
                    </span>
                  )}
                </>
              }
              columns={[
                {
                  id: "state",
                  title: words("stateTitle"),
                  value: (row) => row.state,
                  cell: (row) => <Badge tone={TONES[row.state]}>{words(`state.${row.state}`)}</Badge>,
                  width: 110,
                },
                { id: "type", title: words("type"), value: (row) => row.type, width: 130 },
                {
                  id: "resource",
                  title: words("resource"),
                  value: (row) => row.resource ?? row.resource_id,
                  cell: (row) => (
                    <span title={row.resource ?? row.resource_id}>
                      {row.resource_type} <bdi>{cutMiddle(row.resource ?? row.resource_id, 60)}</bdi>
                    </span>
                  ),
                },
                {
                  id: "attempts",
                  title: words("attempts"),
                  value: (row) => row.attempts,
                  cell: (row) => <Figure value={row.attempts} />,
                  number: true,
                  width: 90,
                },
                {
                  id: "updated",
                  title: words("updated"),
                  value: (row) => row.updated_at,
                  cell: (row) => <Time at={row.updated_at} />,
                  width: 140,
                },
                { id: "error", title: words("error"), value: (row) => row.last_error },
                {
                  id: "acts",
                  title: words("acts"),
                  value: () => null,
                  fixed: true,
                  width: 260,
                  cell: (row) => (
                    <span className="row">
                      <Button look="bare" onClick={() => setShown(row)}>
                        {words("history")}
                      </Button>
                      {["DEAD", "FAILED", "CANCELED"].includes(row.state) && (
                        <Button icon="run" onClick={() => void act(`/api/v2/tasks/${row.id}/retry`)}>
                          {words("retry")}
                        </Button>
                      )}
                      {["PENDING", "RUNNING", "FAILED", "DEAD"].includes(row.state) && (
                        <Button look="bare" onClick={() => void act(`/api/v2/tasks/${row.id}/cancel`)}>
                          {words("cancel")}
                        </Button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
          </>
        )}
      </Answer>
      <Batches />
      <Dialog title={words("history")} open={shown !== null} onClose={() => setShown(null)}>
        {shown && <History of={shown} />}
      </Dialog>
    </div>
  );
}

/** Attempts of one task, the newest first. */
function History({ of }: { of: Task }) {
  const words = useTranslations("operations.tasks");
  const whole = useAnswer<components["schemas"]["TaskEntity"]>(`/api/v2/tasks/${of.id}`);
  return (
    <div className="stack">
      <p className="mute">
        {of.resource_type} <code>{of.resource ?? of.resource_id}</code> <code>{of.model}</code>
      </p>
      <Answer of={whole} isEmpty={({ history }) => history.length === 0} empty={<p>{words("noHistory")}</p>}>
        {({ history }) => (
          <ol className="stack">
            {history.map((attempt) => (
              <li key={`${attempt.batch} ${attempt.number}`}>
                {words("attempt", { number: attempt.number, size: attempt.batch_size })}{" "}
                <Badge tone={TONES[attempt.state]}>{words(`state.${attempt.state}`)}</Badge>{" "}
                <Time at={attempt.started_at} /> <span className="mute">{attempt.worker}</span>
                {attempt.error && (
                  <p>
                    <bdi>{`${attempt.error_type}: ${attempt.error}`}</bdi>
                  </p>
                )}
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </div>
  );
}
