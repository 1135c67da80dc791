import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { LineageCanvas } from "@/canvas";
import { Page } from "@/frame/Page";
import { Badge, Duration, StateDot, Tabs, Time } from "@/parts";
import { useView } from "@/view";
import { ENTITY_VIEW, EntityPage } from "../shared/EntityPage";
import { Head } from "../shared/Head";
import { partsOf } from "../shared/names";
import { Raw } from "../shared/Raw";
import type { RunEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { Events } from "./Events";
import { Overview } from "./Overview";
import { PartsOfRun } from "./PartsOfRun";

const TABS = ["overview", "lineage", "parts", "events", "raw"] as const;

/** Everything about one run or operation: how it went, and why, is seen first. */
export default function RunPage() {
  return (
    <EntityPage<RunEntity> list="runs" kind="run">
      {(run) => <Known run={run} />}
    </EntityPage>
  );
}

function Known({ run }: { run: RunEntity }) {
  const words = useTranslations("pages.run");
  const [{ id, tab }, setView] = useView(ENTITY_VIEW);
  const chosen = TABS.find((one) => one === tab) ?? "overview";
  const title = run.job ? partsOf(run.job).title : run.name || run.run.slice(0, 8);
  const parts = run.children_total + run.operations_total;
  return (
    <Page
      title={`${words(run.kind)} ${title}`}
      fill
      head={
        <Head
          kind={run.kind}
          title={title}
          rest={`${run.run.slice(0, 8)}${run.job ? ` · ${partsOf(run.job).rest}` : ""}`}
          whole={run.id}
          actions={
            run.previous && (
              <Link to="/run" search={{ id: run.previous } as never}>
                {words("previous")}
              </Link>
            )
          }
        >
          <StateDot state={run.status} text />
          <Time at={run.started_at ?? run.first_seen ?? run.created_at} />
          <Duration milliseconds={run.duration_ms} />
          {run.job && (
            <span className="row">
              <span className="mute">{words("job")}</span>
              <Thing id={run.job} rest={false} />
            </span>
          )}
          {run.user && <Thing id={`user:${run.user}`} />}
          {run.engine && <Badge>{run.engine}</Badge>}
        </Head>
      }
    >
      <Tabs
        label={words("tabs")}
        tabs={TABS.map((one) => ({ id: one, title: words(`tab.${one}`), count: one === "parts" ? parts : 0 }))}
        chosen={chosen}
        onChoose={(next) => setView({ tab: next === "overview" ? null : next }, { push: true })}
      >
        {chosen === "lineage" ? (
          <div className={shared.whole}>
            <LineageCanvas id={id} />
          </div>
        ) : (
          <div className={shared.inside}>
            {chosen === "overview" && <Overview run={run} />}
            {chosen === "parts" && <PartsOfRun run={run} />}
            {chosen === "events" && <Events run={run} />}
            {chosen === "raw" && <Raw of={run} about={words("rawAbout")} />}
          </div>
        )}
      </Tabs>
    </Page>
  );
}
