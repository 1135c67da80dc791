import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { LineageCanvas } from "@/canvas";
import { Page } from "@/frame/Page";
import { Badge, StateDot, Tabs, Time } from "@/parts";
import { useView } from "@/view";
import { EditHistory } from "../edits/EditHistory";
import { Elsewhere } from "../shared/Elsewhere";
import { ENTITY_VIEW, EntityPage } from "../shared/EntityPage";
import { partsOf } from "../shared/names";
import { Raw } from "../shared/Raw";
import { RunsTable } from "../shared/RunsTable";
import type { JobEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { ThingHead } from "../shared/ThingHead";
import { Overview } from "./Overview";
import { PartsOfJob } from "./PartsOfJob";
import { Versions } from "./Versions";

const TABS = ["overview", "lineage", "runs", "parts", "versions", "edits", "raw"] as const;
const ELSEWHERE = ["impact", "changes", "diff", "paths"] as const;
const OF_RUNS = ["job"];

/** Everything about one job or application: how its runs went and what it does now are seen first. */
export default function JobPage() {
  return (
    <EntityPage<JobEntity> list="jobs" kind="job">
      {(job) => <Known job={job} />}
    </EntityPage>
  );
}

function Known({ job }: { job: JobEntity }) {
  const words = useTranslations("pages.job");
  const [{ id, tab }, setView] = useView(ENTITY_VIEW);
  const chosen = TABS.find((one) => one === tab) ?? "overview";
  const counts: Partial<Record<(typeof TABS)[number], number>> = { runs: job.runs_total, versions: job.versions_total };
  const [latest] = job.runs;
  return (
    <Page
      title={partsOf(job.id).title}
      fill
      head={
        <ThingHead
          kind="job"
          of={job}
          location={job.location}
          badges={job.type !== "UNKNOWN" && <Badge>{job.type}</Badge>}
          actions={<Elsewhere name={id} to={ELSEWHERE} />}
        >
          {latest && (
            <Link to="/run" search={{ id: latest.id } as never} className="row">
              <StateDot state={latest.status} text />
              <Time at={latest.ended_at ?? latest.started_at ?? latest.first_seen} />
            </Link>
          )}
        </ThingHead>
      }
    >
      <Tabs
        label={words("tabs")}
        tabs={TABS.map((one) => ({ id: one, title: words(`tab.${one}`), count: counts[one] ?? 0 }))}
        chosen={chosen}
        onChoose={(next) => setView({ tab: next === "overview" ? null : next }, { push: true })}
      >
        {chosen === "lineage" ? (
          <div className={shared.whole}>
            <LineageCanvas id={id} />
          </div>
        ) : (
          <div className={shared.inside}>
            {chosen === "overview" && <Overview job={job} />}
            {chosen === "runs" && <RunsTable filters={{ job: job.id }} without={OF_RUNS} label={words("tab.runs")} />}
            {chosen === "parts" && <PartsOfJob job={job} />}
            {chosen === "versions" && <Versions job={job} />}
            {chosen === "edits" && <EditHistory of={job.id} />}
            {chosen === "raw" && <Raw of={job.facets} about={words("rawAbout")} />}
          </div>
        )}
      </Tabs>
    </Page>
  );
}
