import { useStore } from "@xyflow/react";
import { type PointerEvent, useEffect, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { storageColour } from "../draw/kinds";
import type { LaidOut } from "../layout/useLayout";
import type { Lit } from "../scene/light";
import type { StageControl } from "./useStageControl";
import { boundsOf } from "./bounds";
import styles from "./tools.module.css";

const WIDTH = 168;
const HEIGHT = 104;

/** The whole picture in small, with a frame around what is in view; a click or drag goes there. */
export function Minimap({ laidOut, lit, control }: { laidOut: LaidOut; lit: Lit | null; control: StageControl }) {
  const words = useTranslations("canvas.tools");
  const drawing = useRef<HTMLCanvasElement>(null);
  const bounds = useMemo(() => boundsOf(laidOut), [laidOut]);
  const scale = bounds
    ? Math.min((WIDTH - 12) / Math.max(1, bounds.width), (HEIGHT - 12) / Math.max(1, bounds.height))
    : 1;
  const left = bounds ? (WIDTH - bounds.width * scale) / 2 - bounds.x * scale : 0;
  const top = bounds ? (HEIGHT - bounds.height * scale) / 2 - bounds.y * scale : 0;
  useEffect(() => {
    const element = drawing.current;
    const pen = element?.getContext("2d");
    if (!element || !pen) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    element.width = WIDTH * ratio;
    element.height = HEIGHT * ratio;
    pen.scale(ratio, ratio);
    for (const item of laidOut.scene.items) {
      const place = laidOut.places[item.id];
      if (!place || item.kind === "pill") continue;
      pen.globalAlpha = lit && !lit.nodes.has(item.id) ? 0.2 : 0.85;
      pen.fillStyle = storageColour(item.kind === "card" ? item.node.storage : item.storage);
      pen.fillRect(
        place.x * scale + left,
        place.y * scale + top,
        Math.max(1.5, item.width * scale),
        Math.max(1.5, item.height * scale),
      );
    }
  }, [laidOut, lit, scale, left, top]);
  const frame = useStore(({ transform: [x, y, zoom], width, height }) =>
    [-x / zoom, -y / zoom, width / zoom, height / zoom].map(Math.round).join(" "),
  );
  const [x = 0, y = 0, width = 0, height = 0] = frame.split(" ").map(Number);
  const go = (event: PointerEvent<HTMLElement>) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    control.look((event.clientX - box.left - left) / scale, (event.clientY - box.top - top) / scale);
  };
  return (
    <div
      className={styles.minimap}
      role="img"
      aria-label={words("map")}
      style={{ width: WIDTH, height: HEIGHT }}
      onPointerDown={go}
      onPointerMove={go}
    >
      <canvas ref={drawing} style={{ width: WIDTH, height: HEIGHT }} />
      <span
        className={styles.frame}
        style={{ left: x * scale + left, top: y * scale + top, width: width * scale, height: height * scale }}
      />
    </div>
  );
}
