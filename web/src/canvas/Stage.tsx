import { Background, type NodeTypes, ReactFlow, useReactFlow, useStore, ViewportPortal } from "@xyflow/react";
import { memo, type ReactNode, useMemo } from "react";
import "@xyflow/react/dist/base.css";
import { Card, type CardNode } from "./draw/Card";
import type { Placed } from "./draw/ends";
import { FarView } from "./draw/FarView";
import { GroupCard, type GroupNode } from "./draw/GroupCard";
import { Lines, type LinesProps } from "./draw/Lines";
import { Pill, type PillNode } from "./draw/Pill";
import { itemAt } from "./draw/itemAt";
import type { LaidOut } from "./layout/useLayout";
import type { Picked } from "./scene/pick";
import { frameMeter } from "@/frame/reports";
import styles from "./Stage.module.css";
import { LEAST_ZOOM, MOST_ZOOM } from "./tools/useStageControl";

const frames = frameMeter();
const NODE_TYPES: NodeTypes = { card: Card, pill: Pill, place: GroupCard };
/** Smaller than this nothing can be read: many cards are then drawn as simple shapes. */
const FAR = 0.34;
const MANY = 120;

/** Nodes that are neither dragged nor selected get no pointer events from the library. */
const TOUCHABLE = { pointerEvents: "all" } as const;

type StageNode = CardNode | PillNode | GroupNode;

export interface StageProps extends Omit<LinesProps, "placed" | "lines"> {
  laidOut: LaidOut;
  start: string;
  scrolled: ReadonlyMap<string, number>;
  onGround: () => void;
  onGroup: (id: string) => void;
  children?: ReactNode;
}

/** Where a laid out scene is drawn, moved and zoomed. */
export const Stage = memo(function Stage(props: StageProps) {
  const { laidOut, start, scrolled, onGround, onGroup, children, ...rest } = props;
  const { scene, places, routes } = laidOut;
  const flow = useReactFlow();
  const isFar = useStore((state) => state.transform[2] < FAR) && scene.items.length > MANY;
  const nodes = useMemo(
    () =>
      isFar
        ? []
        : scene.items.flatMap((item): StageNode[] => {
            const position = places[item.id];
            if (!position) return [];
            const base = { id: item.id, position, width: item.width, height: item.height, style: TOUCHABLE };
            if (item.kind === "card") return [{ ...base, type: "card", data: { item, isStart: item.id === start } }];
            if (item.kind === "pill") return [{ ...base, type: "pill", data: { item } }];
            return [{ ...base, type: "place", data: { item } }];
          }),
    [isFar, scene, places, start],
  );
  const placed = useMemo<Placed>(
    () => ({ items: new Map(scene.items.map((item) => [item.id, item])), places, routes, scrolled }),
    [scene, places, routes, scrolled],
  );
  const atPointer = (event: { clientX: number; clientY: number }) => {
    const point = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    return itemAt(scene, places, point);
  };
  const press = (event: { clientX: number; clientY: number }) => {
    const item = isFar ? atPointer(event) : null;
    if (!item) onGround();
    else if (item.kind === "group") onGroup(item.id);
    else rest.onPick(pickOf(item));
  };
  return (
    <ReactFlow
      className={styles.stage as string}
      nodes={nodes}
      edges={[]}
      nodeTypes={NODE_TYPES}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      elementsSelectable={false}
      disableKeyboardA11y
      onlyRenderVisibleElements
      zoomOnDoubleClick={false}
      minZoom={LEAST_ZOOM}
      maxZoom={MOST_ZOOM}
      proOptions={{ hideAttribution: true }}
      onPaneClick={press}
      onMoveStart={frames.start}
      onMoveEnd={frames.stop}
    >
      {isFar ? (
        <FarView placed={placed} lines={scene.lines} lit={rest.lit} start={start} />
      ) : (
        <>
          <Background gap={20} size={1} color="var(--line)" />
          <ViewportPortal>
            <Lines {...rest} lines={scene.lines} placed={placed} />
          </ViewportPortal>
        </>
      )}
      {children}
    </ReactFlow>
  );
});

function pickOf(item: Exclude<ReturnType<typeof itemAt>, null>): Picked {
  if (item.kind === "pill" && item.flows[0]) return { kind: "flow", from: item.flows[0].from, to: item.flows[0].to };
  return { kind: "node", key: item.id };
}
