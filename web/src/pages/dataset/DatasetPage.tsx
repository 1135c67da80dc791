import { useTranslations } from "use-intl";
import { LineageCanvas } from "@/canvas";
import { Page } from "@/frame/Page";
import { Badge, StateDot, Tabs } from "@/parts";
import { optional, useMoment, useView } from "@/view";
import { EditHistory } from "../edits/EditHistory";
import { Elsewhere } from "../shared/Elsewhere";
import { ENTITY_VIEW, EntityPage } from "../shared/EntityPage";
import { partsOf } from "../shared/names";
import { Raw } from "../shared/Raw";
import { RunsTable } from "../shared/RunsTable";
import type { DatasetEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Fresh, ThingHead } from "../shared/ThingHead";
import { InWords } from "./InWords";
import { Quality } from "./Quality";
import { SchemaHistory } from "./SchemaHistory";
import { SchemaTree } from "./SchemaTree";
import { schemaAt } from "./schema";
import { Use } from "./Use";

const TABS = ["lineage", "columns", "history", "use", "quality", "runs", "edits", "raw"] as const;
const ELSEWHERE = ["impact", "changes", "diff", "paths"] as const;
const PICKED = { pick: optional() };

/** Charts and dashboards are datasets whose `datasetType` says so. */
function kindOf(dataset: DatasetEntity): "dataset" | "chart" | "dashboard" {
  const said = (dataset.facets as { datasetType?: { datasetType?: unknown } }).datasetType?.datasetType;
  const word = typeof said === "string" ? said.toLowerCase() : "";
  return word.includes("dashboard") ? "dashboard" : word.includes("chart") ? "chart" : "dataset";
}

/** Everything about one dataset; its lineage is drawn first. */
export default function DatasetPage() {
  return (
    <EntityPage<DatasetEntity> list="datasets" kind="dataset">
      {(dataset) => <Known dataset={dataset} />}
    </EntityPage>
  );
}

function Known({ dataset }: { dataset: DatasetEntity }) {
  const words = useTranslations("pages.dataset");
  const moment = useMoment();
  const [{ id, tab }, setView] = useView(ENTITY_VIEW);
  const [{ pick }] = useView(PICKED);
  const chosen = TABS.find((one) => one === tab) ?? "lineage";
  const schema = schemaAt(dataset, moment);
  const counts: Partial<Record<(typeof TABS)[number], number>> = {
    columns: schema.length,
    history: dataset.schema_versions,
    runs: dataset.runs_total,
    quality: dataset.assertions.length,
  };
  const attempt = dataset.use.last_attempt;
  return (
    <Page
      title={dataset.title ?? partsOf(dataset.id).title}
      fill
      head={
        <ThingHead
          kind={kindOf(dataset)}
          of={dataset}
          title={dataset.title}
          location={dataset.location}
          badges={
            <>
              {dataset.exists === false && <Badge tone="failed">{words("dropped")}</Badge>}
              {dataset.reference_only && <Badge>{words("referenceOnly")}</Badge>}
            </>
          }
          actions={<Elsewhere name={id} to={ELSEWHERE} />}
        >
          <span className="row">
            {attempt && <StateDot state={attempt.status} />}
            <Fresh word={words("written")} at={dataset.use.last_written} />
          </span>
        </ThingHead>
      }
    >
      <Tabs
        label={words("tabs")}
        tabs={TABS.map((one) => ({ id: one, title: words(`tab.${one}`), count: counts[one] ?? 0 }))}
        chosen={chosen}
        onChoose={(next) => setView({ tab: next === "lineage" ? null : next }, { push: true })}
      >
        {chosen === "lineage" ? (
          <div className={pick ? shared.whole : shared.split}>
            <LineageCanvas id={id} />
            {!pick && (
              <aside className={shared.side} aria-label={words("inWords")}>
                <InWords dataset={dataset} />
              </aside>
            )}
          </div>
        ) : (
          <div className={shared.inside}>
            {chosen === "columns" && <SchemaTree dataset={dataset} schema={schema} />}
            {chosen === "history" && <SchemaHistory dataset={dataset} />}
            {chosen === "use" && <Use dataset={dataset} />}
            {chosen === "quality" && <Quality dataset={dataset} />}
            {chosen === "runs" && <RunsTable filters={{ dataset: dataset.id }} label={words("tab.runs")} />}
            {chosen === "edits" && <EditHistory of={dataset.id} />}
            {chosen === "raw" && <Raw of={dataset.facets} about={words("rawAbout")} />}
          </div>
        )}
      </Tabs>
    </Page>
  );
}
