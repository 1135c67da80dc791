import { useNavigate } from "@tanstack/react-router";
import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { linkTo } from "@/frame/links";
import { Answer, Button, Skeleton } from "@/parts";
import { useMoment, useView } from "@/view";
import { type Acts, ActsProvider, LightProvider } from "./draw/acts";
import { useLayout } from "./layout/useLayout";
import styles from "./LineageCanvas.module.css";
import { EdgePanel } from "./panel/EdgePanel";
import type { Picture } from "./records";
import { litOf } from "./scene/light";
import { type Picked, printPick, readPick } from "./scene/pick";
import { sceneOf } from "./scene/scene";
import { Stage } from "./Stage";
import { usePicture } from "./usePicture";
import { CANVAS_VIEW } from "./view";

export interface LineageCanvasProps {
  /** Id, key or name of a dataset, column, job or run. */
  id: string;
}

/** The lineage of something as a picture, with what is selected explained beside it. Takes all the room that it is given. */
export function LineageCanvas({ id }: LineageCanvasProps) {
  const [view] = useView(CANVAS_VIEW);
  const moment = useMoment();
  const { answer, withColumns } = usePicture(id, view, moment);
  return (
    <Answer of={answer} skeleton={<Skeleton lines={8} height={48} />}>
      {(picture) => (
        <ReactFlowProvider>
          <Drawn id={id} picture={withColumns ?? picture} />
        </ReactFlowProvider>
      )}
    </Answer>
  );
}

function Drawn({ id, picture }: { id: string; picture: Picture }) {
  const words = useTranslations("canvas");
  const frame = useTranslations("frame");
  const navigate = useNavigate();
  const moment = useMoment();
  const [view, setView] = useView(CANVAS_VIEW);
  const [hovered, setHovered] = useState<Picked | null>(null);
  const [scrolled, setScrolled] = useState<ReadonlyMap<string, number>>(new Map());
  const picked = useMemo(() => readPick(view.pick), [view.pick]);
  const open = useMemo(() => new Set(view.unfold), [view.unfold]);
  const scene = useMemo(
    () => sceneOf(picture, { jobs: view.jobs, open: view.by === "column" ? "all" : open }),
    [picture, view.jobs, view.by, open],
  );
  const whole = [id, moment, view.steps, view.way, view.by, view.jobs, view.ends, view.hide, view.group].join("|");
  const laidOut = useLayout(scene, whole);
  const shown = picked ?? hovered;
  const lit = useMemo(() => (shown ? litOf(picture, shown) : null), [picture, shown]);
  const cursor = picked?.kind === "node" || picked?.kind === "column" ? picked.key : picture.start;
  const acts = useMemo<Acts>(
    () => ({
      pick: (next) => setView({ pick: printPick(next) }),
      hover: setHovered,
      expand: (key, side) => {
        const entry = side === "both" ? key : `${key}:${side}`;
        if (!view.expand.includes(entry)) setView({ expand: [...view.expand, entry] }, { push: true });
      },
      unfold: (key) =>
        setView({
          unfold: view.unfold.includes(key) ? view.unfold.filter((one) => one !== key) : [...view.unfold, key],
        }),
      unfoldGroup: () => {},
      scroll: (key, top) =>
        setScrolled((before) => ((before.get(key) ?? 0) === top ? before : new Map(before).set(key, top))),
      openPage: (node) => void navigate({ to: linkTo(node).to, search: linkTo(node).search as never }),
    }),
    [setView, view.expand, view.unfold, navigate],
  );
  const leave = useCallback(() => setView({ pick: null }), [setView]);
  const light = useMemo(() => ({ lit, picked, cursor }), [lit, picked, cursor]);
  const isEdge = picked?.kind === "flow" || picked?.kind === "edge";
  return (
    <div className={`${styles.canvas} ${isEdge ? styles.withPanel : ""}`}>
      <section className={styles.stage} aria-label={words("label")}>
        {laidOut && (
          <ActsProvider value={acts}>
            <LightProvider value={light}>
              <Stage
                laidOut={laidOut}
                start={picture.start}
                scrolled={scrolled}
                edges={picture.columns}
                lit={lit}
                picked={picked}
                onPick={acts.pick}
                onHover={setHovered}
                onGround={leave}
              />
            </LightProvider>
          </ActsProvider>
        )}
      </section>
      {isEdge && (
        <aside className={styles.panel} aria-label={frame("panel")}>
          <Button look="bare" icon="close" label={frame("panelClose")} className={styles.close} onClick={leave} />
          <EdgePanel picked={picked} moment={moment} />
        </aside>
      )}
    </div>
  );
}
