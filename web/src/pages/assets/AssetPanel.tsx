import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { Badge, Button, copyText, cutMiddle, FailureNote, Skeleton, Sql, Time, useToast } from "@/parts";
import { Facts, Part } from "../shared/Facts";
import shared from "../shared/shared.module.css";
import { AssetName } from "./AssetTree";
import styles from "./assets.module.css";
import { type AssetRef, attributesOf, type Details, formulaOf, groupsOf, type Kind, lineageOf } from "./assets";

type Walk = components["schemas"]["AssetWalk"];

const EDGES = [
  ...["HAS_SCHEMA", "HAS_TABLE", "HAS_COLUMN", "HAS_METRIC", "INPUT_OF", "OUTPUT_TO", "DERIVES_FROM", "MEASURES"],
  ...["FILTERS_BY", "DERIVED_FROM", "COMPUTED_FROM", "HAS_VALUE_DOMAIN", "HAS_TAG", "SYMLINK"],
] as const;
const SHOWN = 200;

/** One asset: its values, how a metric is worked out, its edges, and the metrics that break without it. */
export function AssetPanel({ id }: { id: string }) {
  const found = useAnswer<Details>("/api/v2/assets/show", { name: id });
  if (found.error) return <FailureNote error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton lines={10} height={24} />;
  return <Known key={id} asset={found.data} />;
}

function Known({ asset }: { asset: Details }) {
  const words = useTranslations("pages.assets");
  const parts = useTranslations("parts");
  const toast = useToast();
  const lineage = lineageOf(asset);
  const { content, createdAt, updatedAt } = asset.attributes;
  const copy = () => void copyText(asset.id).then((done) => toast(parts(done ? "copied" : "notCopied")));
  return (
    <article className={styles.panel} aria-label={asset.name}>
      <header className="row-wrap">
        <Badge>{words(`kind.${asset.kind as Kind}`)}</Badge>
        <h2 className={styles.title}>
          <bdi>{cutMiddle(asset.name, 120)}</bdi>
        </h2>
        <Button look="bare" icon="copy" label={parts("copy")} onClick={copy} />
        {lineage && (
          <Link to={lineage.to} search={{ id: lineage.id } as never} className="push">
            {words("toLineage")}
          </Link>
        )}
      </header>
      <bdi className={`mono mute ${styles.id}`}>{cutMiddle(asset.id, 200)}</bdi>
      <MetricFormula asset={asset} />
      {typeof content === "string" && <Sql statement={content} />}
      <Facts
        of={[
          ...attributesOf(asset).map(([name, value]) => [name, <bdi key={name}>{cutMiddle(value, 400)}</bdi>] as const),
          [words("since"), typeof createdAt === "string" && <Time at={createdAt} />],
          [words("changed"), typeof updatedAt === "string" && <Time at={updatedAt} />],
        ]}
      />
      {groupsOf(asset.edges).map(({ edge, direction, links }) => (
        <Part key={`${direction}${edge}`} title={edgeTitle(edge, direction, words)} about={links.length}>
          <Refs of={links.map(({ to }) => to)} />
        </Part>
      ))}
      {asset.truncated && <p className="mute">{words("moreEdges")}</p>}
      <Breaks asset={asset} />
    </article>
  );
}

function edgeTitle(
  edge: string,
  direction: "in" | "out",
  words: ReturnType<typeof useTranslations<"pages.assets">>,
): string {
  const known = EDGES.find((one) => one === edge);
  return known ? words(`${direction === "out" ? "towards" : "from"}.${known}`) : edge;
}

function MetricFormula({ asset }: { asset: Details }) {
  const words = useTranslations("pages.assets");
  const formula = formulaOf(asset);
  if (!formula) return null;
  return (
    <Part title={words("formula")}>
      <div className={shared.box}>
        {formula.text ? (
          <code className={styles.formula}>{formula.text}</code>
        ) : (
          <p className="mute">{words("noFormula")}</p>
        )}
        <Facts
          of={[
            [words("measures"), formula.measures.length > 0 && <Refs of={formula.measures} />],
            [words("filters"), formula.filters.length > 0 && <Refs of={formula.filters} />],
            [words("parents"), formula.parents.length > 0 && <Refs of={formula.parents} />],
            [words("unresolved"), formula.unresolved.length > 0 && formula.unresolved.join(", ")],
          ]}
        />
        {formula.unresolved.length > 0 && <p className="mute">{words("unresolvedText")}</p>}
      </div>
    </Part>
  );
}

function Refs({ of }: { of: readonly AssetRef[] }) {
  return (
    <ul className={`${shared.lines} ${shared.scroll}`}>
      {of.slice(0, SHOWN).map((one) => (
        <li key={one.id}>
          <AssetName of={one} />
        </li>
      ))}
      {of.length > SHOWN && <li className="mute">{"…"}</li>}
    </ul>
  );
}

/** Metrics that need this, directly or through others; asked for only where there can be some. */
function Breaks({ asset }: { asset: Details }) {
  const words = useTranslations("pages.assets");
  const canBreak = ["Catalog", "Schema", "Table", "Column"].includes(asset.kind) || asset.kind.endsWith("Metric");
  const query = { name: asset.id, direction: "downstream", limit: 1000 };
  const found = useAnswer<Walk>("/api/v2/assets/walk", query, { when: canBreak });
  const metrics = (found.data?.items ?? []).filter(({ kind }) => kind.endsWith("Metric"));
  if (metrics.length === 0) return null;
  return (
    <Part title={words("breaks")} about={metrics.length}>
      <Refs of={metrics} />
    </Part>
  );
}
