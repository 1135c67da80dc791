import { useTranslations } from "use-intl";
import { LineageCanvas } from "@/canvas";
import { Page } from "@/frame/Page";
import { Badge, StateDot, Tabs } from "@/parts";
import { optional, useMoment, useView } from "@/view";
import { EditHistory } from "../edits/EditHistory";
import { Verify } from "../overlay/Verify";
import { VersionMarks } from "../overlay/VersionMarks";
import { Visualize } from "../overlay/Visualize";
import { Elsewhere } from "../shared/Elsewhere";
import { ENTITY_VIEW, EntityPage } from "../shared/EntityPage";
import { isOverlay, partsOf } from "../shared/names";
import { Raw } from "../shared/Raw";
import { RunsTable } from "../shared/RunsTable";
import type { DatasetEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Fresh, ThingHead } from "../shared/ThingHead";
import { InWords } from "./InWords";
import { kindOf } from "./kind";
import { Quality } from "./Quality";
import { SchemaHistory } from "./SchemaHistory";
import { SchemaTree } from "./SchemaTree";
import { schemaAt } from "./schema";
import { Use } from "./Use";

const OF_DATASETS = ["columns", "history", "use", "quality", "runs", "edits", "raw"] as const;
const TABS = ["lineage", ...OF_DATASETS] as const;
/** A version of an overlay is drawn from stored OpenLineage events alone, and verified apart from that. */
const TABS_OF_VERSION = ["visualize", "verify", ...OF_DATASETS] as const;
type Tab = (typeof TABS)[number] | (typeof TABS_OF_VERSION)[number];
const ELSEWHERE = ["impact", "changes", "diff", "paths"] as const;
const PICKED = { pick: optional() };

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
  const entity = useTranslations("pages.entity");
  const moment = useMoment();
  const [{ id, tab }, setView] = useView(ENTITY_VIEW);
  const [{ pick }] = useView(PICKED);
  const isVersion = isOverlay(dataset.namespace);
  const tabs: readonly [Tab, ...Tab[]] = isVersion ? TABS_OF_VERSION : TABS;
  const chosen = tabs.find((one) => one === tab) ?? tabs[0];
  const choose = (next: Tab) => setView({ tab: next === tabs[0] ? null : next }, { push: true });
  const schema = schemaAt(dataset, moment);
  const counts: Partial<Record<Tab, number>> = {
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
              {isVersion && <VersionMarks dataset={dataset} />}
              {!isVersion && dataset.retracted_at && <Badge tone="failed">{entity("retracted")}</Badge>}
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
        tabs={tabs.map((one) => ({ id: one, title: words(`tab.${one}`), count: counts[one] ?? 0 }))}
        chosen={chosen}
        onChoose={choose}
      >
        {chosen === "visualize" ? (
          <Visualize id={dataset.id} onVerify={() => choose("verify")} />
        ) : chosen === "lineage" ? (
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
            {chosen === "verify" && <Verify key={dataset.id} id={dataset.id} />}
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
