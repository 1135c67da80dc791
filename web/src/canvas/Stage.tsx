import { Background, type NodeTypes, ReactFlow, useReactFlow, useStore, ViewportPortal } from "@xyflow/react";
import { memo, type ReactNode, useEffect, useMemo } from "react";
import "@xyflow/react/dist/base.css";
import { Card, type CardNode } from "./draw/Card";
import type { Placed } from "./draw/ends";
import { Lines, type LinesProps } from "./draw/Lines";
import { Pill, type PillNode } from "./draw/Pill";
import type { LaidOut } from "./layout/useLayout";
import styles from "./Stage.module.css";

const NODE_TYPES: NodeTypes = { card: Card, pill: Pill };
export const FIT = { padding: 0.12, maxZoom: 1, duration: 200 };

export interface StageProps extends Omit<LinesProps, "placed" | "lines"> {
  laidOut: LaidOut;
  start: string;
  scrolled: ReadonlyMap<string, number>;
  onGround: () => void;
  children?: ReactNode;
}

/** Where a laid out scene is drawn, moved and zoomed. */
export const Stage = memo(function Stage({ laidOut, start, scrolled, onGround, children, ...rest }: StageProps) {
  const { scene, places } = laidOut;
  const nodes = useMemo(
    () =>
      scene.items.flatMap((item): (CardNode | PillNode)[] => {
        const position = places[item.id];
        if (!position) return [];
        const base = { id: item.id, position, width: item.width, height: item.height };
        if (item.kind === "card") return [{ ...base, type: "card", data: { item, isStart: item.id === start } }];
        return item.kind === "pill" ? [{ ...base, type: "pill", data: { item } }] : [];
      }),
    [scene, places, start],
  );
  const placed = useMemo<Placed>(
    () => ({ items: new Map(scene.items.map((item) => [item.id, item])), places, scrolled }),
    [scene, places, scrolled],
  );
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
      minZoom={0.03}
      maxZoom={2}
      onPaneClick={onGround}
    >
      <Background gap={20} size={1} color="var(--line)" />
      <ViewportPortal>
        <Lines {...rest} lines={scene.lines} placed={placed} />
      </ViewportPortal>
      <Fitting fresh={laidOut.fresh} />
      {children}
    </ReactFlow>
  );
});

/** Brings the whole into view after each fresh layout. */
function Fitting({ fresh }: { fresh: number }) {
  const flow = useReactFlow();
  const isReady = useStore((state) => state.width > 0 && state.nodeLookup.size > 0);
  useEffect(() => {
    if (isReady) void flow.fitView({ ...FIT, duration: 0 });
  }, [flow, fresh, isReady]);
  return null;
}
