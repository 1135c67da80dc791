import { type ReactFlowState, useStore } from "@xyflow/react";
import { memo } from "react";
import type { ColumnEdge } from "../records";
import { edgeId, type Lit } from "../scene/light";
import { columnId, flowId, type Picked } from "../scene/pick";
import type { Line, LineLook } from "../scene/scene";
import { curve, middle, type Point } from "./curve";
import type { Passage } from "../layout/routes";
import { bottomOf, drawnEdges, passagesOf, type Placed, rowOf, sideOf } from "./ends";
import styles from "./Lines.module.css";

export interface LinesProps {
  placed: Placed;
  lines: readonly Line[];
  edges: readonly ColumnEdge[];
  lit: Lit | null;
  picked: Picked | null;
  onPick: (picked: Picked) => void;
  onHover: (picked: Picked | null) => void;
}

/** Beyond so many, only lines near what is in view are drawn. */
const MANY = 250;
const TILE = 600;

/** What is in view with a margin, in steps, so that small movements change nothing. */
function windowOf({ transform: [x, y, zoom], width, height }: ReactFlowState): string {
  const low = (value: number) => Math.floor(value / TILE - 1) * TILE;
  const high = (value: number) => Math.ceil(value / TILE + 1) * TILE;
  return [low(-x / zoom), low(-y / zoom), high((width - x) / zoom), high((height - y) / zoom)].join(" ");
}

function seenIn(window: string): (from: Point, to: Point) => boolean {
  if (!window) return () => true;
  const [left = 0, top = 0, right = 0, bottom = 0] = window.split(" ").map(Number);
  return (from, to) =>
    to.x <= from.x ||
    (from.x <= right && to.x >= left && Math.min(from.y, to.y) <= bottom && Math.max(from.y, to.y) >= top);
}

/** All lines between cards, and between columns of open cards, in one drawing below the cards. */
export const Lines = memo(function Lines({ placed, lines, edges, lit, picked, onPick, onHover }: LinesProps) {
  const byColumn = drawnEdges(placed, edges);
  const replaced = new Set(byColumn.map((edge) => flowId(edge.from, edge.to)));
  const made = new Set(
    lines.flatMap(({ flows }) =>
      flows.filter(({ origins }) => origins.includes("person")).map((one) => flowId(one.from, one.to)),
    ),
  );
  const isMany = lines.length + byColumn.length > MANY;
  const window = useStore((state) => (isMany ? windowOf(state) : ""));
  const isSeen = seenIn(window);
  return (
    <svg className={styles.lines} width={1} height={1} aria-hidden="true">
      {lines.map((line) => {
        const from = sideOf(placed, line.from, "right");
        const to = sideOf(placed, line.to, "left");
        if (!from || !to || !isSeen(from, to)) return null;
        if (line.flows.every((flow) => replaced.has(flowId(flow.from, flow.to)))) return null;
        const isLit = line.flows.some((flow) => lit?.flows.has(flowId(flow.from, flow.to)));
        const [first] = line.flows;
        const one = line.flows.length === 1 && first ? first : null;
        const own: Picked | null = one
          ? { kind: "flow", from: one.from, to: one.to }
          : { kind: "node", key: line.from };
        return (
          <Stroke
            key={line.id}
            id={line.id}
            from={from}
            to={to}
            bottom={to.x <= from.x + 8 ? bottomOf(placed, line) : 0}
            passages={passagesOf(placed, line)}
            look={line.look}
            state={lit === null ? "plain" : isLit ? "lit" : "dim"}
            chosen={picked?.kind === "flow" && one !== null && picked.from === one.from && picked.to === one.to}
            marks={!line.to.startsWith("pill:")}
            onPick={() => own && onPick(own)}
            onHover={(over) => onHover(over ? own : null)}
          />
        );
      })}
      {byColumn.map((edge) => {
        const from = rowOf(placed, edge.from, edge.from_column, "right");
        const to = edge.to_column ? rowOf(placed, edge.to, edge.to_column, "left") : sideOf(placed, edge.to, "left");
        if (!from || !to || !isSeen(from, to)) return null;
        const id = edgeId(edge);
        const own: Picked = {
          kind: "edge",
          from: edge.from,
          fromColumn: edge.from_column,
          to: edge.to,
          toColumn: edge.to_column,
        };
        const isChosen =
          picked?.kind === "edge" && picked.from === edge.from && picked.to === edge.to && id === idOf(picked);
        return (
          <Stroke
            key={`${id}:${edge.subtype}`}
            id={id}
            from={from}
            to={to}
            bottom={to.x <= from.x + 8 ? bottomOf(placed, edge) : 0}
            passages={passagesOf(placed, edge)}
            look={{
              kind: edge.type === "DIRECT" ? "direct" : "indirect",
              masked: edge.masked === true,
              current: edge.current,
              byHand: isByHand(edge, made),
              change: edge.change,
            }}
            state={lit === null ? "plain" : lit.edges.has(id) ? "lit" : "dim"}
            chosen={isChosen}
            marks
            onPick={() => onPick(own)}
            onHover={(over) => onHover(over ? own : null)}
          />
        );
      })}
    </svg>
  );
});

/** An edge between columns that leads through no job, where somebody made the one between their datasets by hand. */
export function isByHand(
  { from, to, via }: Pick<ColumnEdge, "from" | "to" | "via">,
  made: ReadonlySet<string>,
): boolean {
  return via.length === 0 && made.has(flowId(from, to));
}

function idOf(picked: Extract<Picked, { kind: "edge" }>): string {
  return `${columnId(picked.from, picked.fromColumn)}>${columnId(picked.to, picked.toColumn)}`;
}

interface StrokeProps {
  id: string;
  from: Point;
  to: Point;
  bottom: number;
  passages: readonly Passage[];
  look: LineLook;
  state: "plain" | "lit" | "dim";
  chosen: boolean;
  /** Whether signs stand on it. */
  marks: boolean;
  onPick: () => void;
  onHover: (over: boolean) => void;
}

const SHIELD = "M0-6l5 2v4c0 3-2.200 5-5 6-2.800-1-5-3-5-6v-4z";
const PEN = "M-5 5l.6-2.600L3-5 5-3-2.400 4.400z";

function Stroke({ id, from, to, bottom, passages, look, state, chosen, marks, onPick, onHover }: StrokeProps) {
  const path = curve(from, to, bottom, passages);
  const names = [styles.line, styles[look.kind], styles[state], look.change ? styles[look.change] : ""];
  if (!look.current) names.push(styles.old);
  if (chosen) names.push(styles.chosen);
  const at = marks && (look.masked || look.byHand) ? middle(from, to, bottom, passages) : null;
  return (
    <g className={names.join(" ")} data-line={id}>
      <path className={styles.stroke} d={path} />
      <path
        className={styles.reach}
        d={path}
        onClick={(event) => {
          event.stopPropagation();
          onPick();
        }}
        onPointerEnter={() => onHover(true)}
        onPointerLeave={() => onHover(false)}
      />
      {at && (
        <path
          className={look.masked ? styles.shield : styles.pen}
          d={look.masked ? SHIELD : PEN}
          transform={`translate(${at.x} ${at.y})`}
        />
      )}
    </g>
  );
}
