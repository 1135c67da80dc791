import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Answer, cutEnd, cutMiddle, Duration, Empty, Figure, Skeleton, StateDot, Time } from "@/parts";
import { useMoment } from "@/view";
import { Facts, Part } from "../shared/Facts";
import { partsOf, routeOf } from "../shared/names";
import type { JobEntity, PageOf, RunEntity, RunItem } from "../shared/records";
import { everyOf } from "../shared/rhythm";
import shared from "../shared/shared.module.css";
import { Thing, Things } from "../shared/Thing";
import { JobSql } from "./JobSql";
import { RunBars } from "./RunBars";
import { usualDuration } from "./runBars";

const BARS = 50;

/** How the last runs of a job went, what it reads and writes now, and its SQL with the lineage of its columns. */
export function Overview({ job }: { job: JobEntity }) {
  const words = useTranslations("pages.job");
  const moment = useMoment();
  const runs = useAnswer<PageOf<RunItem>>("/api/v2/runs", {
    job: job.id,
    limit: BARS,
    ...(moment ? { until: moment } : {}),
  });
  const newest = runs.data?.items[0] ?? job.runs[0];
  const isEmpty = job.inputs.length + job.outputs.length === 0;
  // An application reads and writes through its parts: what they did in the newest run that got to its end is what it does.
  const told = runs.data?.items.find(({ status }) => status === "SUCCEEDED") ?? newest;
  const whole = useAnswer<RunEntity>(
    routeOf("runs", told?.id ?? ""),
    {},
    { when: told !== undefined && !runs.isLoading && (isEmpty || moment !== null) },
  );
  const latest = whole.data;
  const inputs = isEmpty || moment ? (latest?.inputs.map(({ dataset }) => dataset) ?? []) : job.inputs;
  const outputs = isEmpty || moment ? (latest?.outputs.map(({ dataset }) => dataset) ?? []) : job.outputs;
  return (
    <>
      {job.description && <p className="prose">{cutMiddle(job.description, 1000)}</p>}
      <Part
        title={words("lastRuns", { count: runs.data?.items.length ?? BARS })}
        about={<RunsInWords job={job} runs={runs.data?.items ?? []} />}
      >
        <div className={shared.box}>
          <Answer
            of={runs}
            skeleton={<Skeleton lines={1} height={120} />}
            isEmpty={({ items }) => items.length === 0}
            empty={<Empty title={words("noRuns")}>{words("noRunsText")}</Empty>}
          >
            {({ items }) => <RunBars runs={items} />}
          </Answer>
        </div>
      </Part>
      <div className={shared.columns}>
        <Part title={words("reads")} about={inputs.length || null}>
          <div className={`${shared.box} ${shared.scroll}`}>
            {whole.isLoading && isEmpty ? <Skeleton lines={2} /> : <Things ids={inputs} none={words("readsNothing")} />}
          </div>
        </Part>
        <Part title={words("writes")} about={outputs.length || null}>
          <div className={`${shared.box} ${shared.scroll}`}>
            {whole.isLoading && isEmpty ? (
              <Skeleton lines={2} />
            ) : (
              <Things ids={outputs} none={words("writesNothing")} />
            )}
          </div>
        </Part>
        <Part title={words("newest")}>
          <div className={shared.box}>
            {newest ? <Newest run={newest} job={job} /> : <span className="mute">{words("noRuns")}</span>}
          </div>
        </Part>
      </div>
      {job.sql && (
        <Part title={words("sql")} about={words("sqlAbout")}>
          <JobSql job={job} sql={job.sql} />
        </Part>
      )}
    </>
  );
}

function Newest({ run, job }: { run: RunItem; job: JobEntity }) {
  const words = useTranslations("pages.job");
  return (
    <Facts
      of={[
        [
          words("state"),
          <span key="state" className="row">
            <StateDot state={run.status} text />
            <Thing id={run.id} />
          </span>,
        ],
        [words("started"), <Time key="started" at={run.started_at ?? run.first_seen} />],
        [words("duration"), <Duration key="duration" milliseconds={run.duration_ms} />],
        [words("reason"), run.end_reason && cutEnd(run.end_reason, 240)],
        [words("user"), run.user && <Thing id={`user:${run.user}`} />],
        [words("engine"), run.engine],
        [words("parent"), job.parent && <Thing id={job.parent} rest={false} />],
        [
          words("waitsFor"),
          job.waits_for.length > 0 && (
            <ul className={shared.lines}>
              {job.waits_for.slice(0, 8).map((id) => (
                <li key={id}>
                  <Thing id={id} rest={false} />
                </li>
              ))}
            </ul>
          ),
        ],
        [words("processing"), job.processing],
        [words("references"), job.references.length > 0 && <Figure value={job.references.length} />],
        [words("firstSeen"), job.first_seen && <Time at={job.first_seen} />],
        [words("producer"), job.producer && <bdi>{cutMiddle(partsOf(job.producer).title, 80)}</bdi>],
      ]}
    />
  );
}

/** "42 succeeded, 3 failed; about every day, usually 2 minutes". */
function RunsInWords({ job, runs }: { job: JobEntity; runs: readonly RunItem[] }) {
  const words = useTranslations("pages.job");
  const every = job.every_ms;
  const usual = usualDuration(runs);
  const failed = (job.runs_by_status.FAILED ?? 0) + (job.runs_by_status.KILLED ?? 0);
  return (
    <span className="row-wrap">
      <span>{words("inAll", { runs: job.runs_total, failed })}</span>
      {every !== null && <span>{words("every", { count: everyOf(every).count, unit: everyOf(every).unit })}</span>}
      {usual !== null && (
        <span>
          {words("usually")} <Duration milliseconds={usual} />
        </span>
      )}
    </span>
  );
}
