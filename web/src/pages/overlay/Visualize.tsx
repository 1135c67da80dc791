import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useEffect, useMemo } from "react";
import { useLocale, useTranslations } from "use-intl";
import { type Query, useAnswer, useAnswers } from "@/api";
import { Drawn } from "@/canvas/Drawn";
import { Steps } from "@/canvas/tools/Toolbar";
import { CANVAS_VIEW } from "@/canvas/view";
import { pictureIsAsked } from "@/frame/reports";
import { Answer, Button, exactTime, Skeleton } from "@/parts";
import { useMoment, useView } from "@/view";
import type { LineageGraph } from "./graph";
import styles from "./overlay.module.css";
import { expansionOf, pictureOfVersions } from "./pictureOfVersions";
import type { Version } from "./version";

const PATH = "/openlineage/lineage";
const MOST_STEPS = 10;
const MOST_EXPANSIONS = 40;
/** One more than is drawn, which tells how much there is behind the last ones. */
const AROUND = 2;
const LOOK_AGAIN = 5_000;

/** The lineage of a version on the canvas, from stored OpenLineage events alone. Nothing of it is verified. */
export function Visualize({ id, onVerify }: { id: string; onVerify: () => void }) {
  const words = useTranslations("overlay.visualize");
  const moment = useMoment();
  const [view, setView] = useView(CANVAS_VIEW);
  const steps = Math.min(MOST_STEPS, Math.max(1, view.steps));
  const graph = useAnswer<LineageGraph>(PATH, { node: id, depth: steps + 1 }, { keep: true, every: LOOK_AGAIN });
  const isAsking = graph.isFetching && (graph.data === undefined || graph.isPlaceholderData);
  useEffect(() => {
    if (isAsking) pictureIsAsked();
  }, [isAsking]);
  const expand = useMemo(() => view.expand.slice(0, MOST_EXPANSIONS), [view.expand]);
  const around = useMemo(() => {
    const ids = new Set(expand.flatMap((entry) => expansionOf(entry)?.id ?? []));
    return [...ids].map((node): Query => ({ node, depth: AROUND }));
  }, [expand]);
  const more = useAnswers<LineageGraph>(PATH, around);
  const factsOf = useFacts();
  const first = graph.data;
  const picture = useMemo(
    () =>
      first && pictureOfVersions([first, ...more.flatMap((one) => one ?? [])], { start: id, steps, expand }, factsOf),
    [first, more, id, steps, expand, factsOf],
  );
  return (
    <div className={styles.whole}>
      <p className={styles.note} role="note">
        {words("disclaimer")} {moment && words("ofNow")} <Button onClick={onVerify}>{words("verify")}</Button>
      </p>
      <Answer of={graph} skeleton={<Skeleton lines={8} height={48} />}>
        {() =>
          picture && (
            <ReactFlowProvider>
              <Drawn
                id={id}
                picture={picture}
                isOld={graph.isPlaceholderData}
                moment={null}
                slider={false}
                plain
                asking={<Steps view={{ steps }} setView={setView} least={1} most={MOST_STEPS} />}
              />
            </ReactFlowProvider>
          )
        }
      </Answer>
    </div>
  );
}

/** What the panel lists of a version. */
function useFacts(): (version: Version) => readonly (readonly [string, string])[] {
  const words = useTranslations("overlay.fact");
  const locale = useLocale();
  return useCallback(
    (version) => {
      const created = version.createdAt === null ? Number.NaN : Date.parse(version.createdAt);
      const all: readonly (readonly [string, string | null])[] = [
        [words("created"), Number.isNaN(created) ? null : exactTime(created, locale)],
        [words("decision"), version.decision && [version.decision, ...version.reasons].join(", ")],
        [words("confs"), version.confs === null ? null : String(version.confs)],
        [words("depth"), version.depth === null ? null : String(version.depth)],
        [words("contentHash"), version.contentHash],
        [words("bundleHash"), version.bundleHash],
        [words("publisher"), version.publisher],
      ];
      return all.flatMap(([word, value]) => (value ? [[word, value.slice(0, 200)] as const] : []));
    },
    [words, locale],
  );
}
