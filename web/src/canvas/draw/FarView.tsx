import { useStoreApi } from "@xyflow/react";
import { memo, useEffect, useMemo, useRef } from "react";
import type { Lit } from "../scene/light";
import { flowId } from "../scene/pick";
import type { Line } from "../scene/scene";
import { curve } from "./curve";
import { bottomOf, passagesOf, type Placed, sideOf } from "./ends";
import { storageColour } from "./kinds";
import styles from "./FarView.module.css";

interface FarViewProps {
  placed: Placed;
  lines: readonly Line[];
  lit: Lit | null;
  start: string;
}

interface Path {
  path: Path2D;
  lit: boolean;
}

/** A large picture from afar: cards as plain shapes and lines, painted on one canvas, so that moving it stays fluid. */
export const FarView = memo(function FarView({ placed, lines, lit, start }: FarViewProps) {
  const element = useRef<HTMLCanvasElement>(null);
  const store = useStoreApi();
  const paths = useMemo(() => pathsOf(placed, lines, lit), [placed, lines, lit]);
  useEffect(() => {
    const canvas = element.current;
    const pen = canvas?.getContext("2d");
    if (!canvas || !pen) return;
    let waiting = 0;
    const draw = () => {
      waiting = 0;
      const { transform, width, height } = store.getState();
      const ratio = Math.min(2, devicePixelRatio || 1);
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      paint(pen, { placed, paths, lit, start, transform, ratio, width, height });
    };
    const ask = () => {
      waiting ||= requestAnimationFrame(draw);
    };
    draw();
    const stop = store.subscribe(ask);
    return () => {
      stop();
      cancelAnimationFrame(waiting);
    };
  }, [store, placed, paths, lit, start]);
  return <canvas ref={element} className={styles.far} aria-hidden="true" />;
});

interface Painting {
  placed: Placed;
  paths: readonly Path[];
  lit: Lit | null;
  start: string;
  transform: readonly [number, number, number];
  ratio: number;
  width: number;
  height: number;
}

function paint(pen: CanvasRenderingContext2D, of: Painting): void {
  const { placed, paths, lit, start, transform, ratio, width, height } = of;
  const [x, y, zoom] = transform;
  const style = getComputedStyle(pen.canvas);
  const ink = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const [edge, accent, surface] = [ink("edge"), ink("accent"), ink("surface")];
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
  pen.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
  for (const isLit of [false, true]) {
    pen.strokeStyle = isLit ? accent : edge;
    pen.lineWidth = Math.min(6, (isLit ? 1.6 : 0.8) / zoom);
    pen.globalAlpha = lit && !isLit ? 0.15 : 0.8;
    for (const one of paths) if (one.lit === isLit) pen.stroke(one.path);
  }
  const [left, top] = [-x / zoom, -y / zoom];
  const [right, bottom] = [left + width / zoom, top + height / zoom];
  for (const item of placed.items.values()) {
    const place = placed.places[item.id];
    if (!place) continue;
    if (place.x > right || place.x + item.width < left || place.y > bottom || place.y + item.height < top) continue;
    if (item.kind === "pill") {
      pen.globalAlpha = lit ? 0.15 : 0.8;
      pen.fillStyle = edge;
      pen.fillRect(place.x, place.y + item.height / 3, item.width, item.height / 3);
      continue;
    }
    const storage = item.kind === "card" ? item.node.storage : item.storage;
    const isFailed = item.kind === "card" && item.node.last_write?.status === "FAILED";
    pen.globalAlpha = lit && !lit.nodes.has(item.id) ? 0.15 : 1;
    pen.fillStyle = item.id === start ? accent : surface;
    pen.fillRect(place.x, place.y, item.width, item.height);
    if (item.id !== start) {
      pen.globalAlpha *= 0.3;
      pen.fillStyle = storageColour(storage);
      pen.fillRect(place.x, place.y, item.width, item.height);
      pen.globalAlpha /= 0.3;
    }
    pen.fillStyle = isFailed ? ink("failed") : storageColour(storage);
    pen.fillRect(place.x, place.y, item.width * 0.12, item.height);
  }
  pen.globalAlpha = 1;
}

function pathsOf(placed: Placed, lines: readonly Line[], lit: Lit | null): Path[] {
  const merged = { lit: new Path2D(), plain: new Path2D() };
  for (const line of lines) {
    const from = sideOf(placed, line.from, "right");
    const to = sideOf(placed, line.to, "left");
    if (!from || !to) continue;
    const isLit = line.flows.some((flow) => lit?.flows.has(flowId(flow.from, flow.to)));
    const path = isLit ? merged.lit : merged.plain;
    const bottom = to.x <= from.x + 8 ? bottomOf(placed, line) : 0;
    path.addPath(new Path2D(curve(from, to, bottom, passagesOf(placed, line))));
  }
  return [
    { path: merged.plain, lit: false },
    { path: merged.lit, lit: true },
  ];
}
