import { getViewportForBounds, useReactFlow, useStoreApi } from "@xyflow/react";
import { useMemo, useRef } from "react";
import type { LaidOut } from "../layout/useLayout";
import { boundsOf, coveredAt } from "./bounds";

export const LEAST_ZOOM = 0.03;
export const MOST_ZOOM = 2;
/** Room for what stands over the picture. */
const MARGIN = { x: "32px", top: "28px", bottom: "68px" } as const;
/** The same, where cards would be below the overview in the corner. */
const MARGIN_MAP = { ...MARGIN, bottom: "132px" } as const;
/** The overview with its distance from the corner. */
const MAP = { width: 190, height: 126 };
/** Below this nothing can be read; a first picture that is larger begins at its start instead. */
const READABLE = 0.5;

/** What moves the picture about. */
export interface StageControl {
  /** All of it. */
  fit: () => void;
  /** All of it if that can be read, else around the start. */
  begin: (start: string) => void;
  zoomBy: (factor: number) => void;
  /** Moves as far as is needed to see an item. */
  show: (id: string) => void;
  /** An item in the middle, large enough to read. */
  centre: (id: string, zoom?: number, right?: number, down?: number) => void;
  /** What is in the middle, as it stands in an address. */
  place: () => string | null;
  /** A point of the picture in the middle. */
  look: (x: number, y: number) => void;
}

export function useStageControl(laidOut: LaidOut | null, hasMap = false): StageControl {
  const flow = useReactFlow();
  const store = useStoreApi();
  const known = useRef(laidOut);
  known.current = laidOut;
  return useMemo(() => {
    const size = () => {
      const { width, height } = store.getState();
      return { width, height };
    };
    const box = (id: string) => {
      const place = known.current?.places[id];
      const item = known.current?.scene.items.find((one) => one.id === id);
      return place && item ? { ...place, width: item.width, height: item.height } : null;
    };
    const look = (x: number, y: number, zoom: number, duration = 200) => {
      const { width, height } = size();
      void flow.setViewport({ x: width / 2 - x * zoom, y: height / 2 - y * zoom, zoom }, { duration });
    };
    const fitted = () => {
      const { width, height } = size();
      const bounds = known.current && boundsOf(known.current);
      if (!bounds || !known.current) return null;
      const viewport = getViewportForBounds(bounds, width, height, LEAST_ZOOM, 1, MARGIN);
      const corner = { x: width - MAP.width, y: height - MAP.height, ...MAP };
      const isCovered = hasMap && coveredAt(known.current, viewport, corner);
      return isCovered ? getViewportForBounds(bounds, width, height, LEAST_ZOOM, 1, MARGIN_MAP) : viewport;
    };
    const control: StageControl = {
      fit: () => {
        const viewport = fitted();
        if (viewport) void flow.setViewport(viewport, { duration: 200 });
      },
      begin: (start) => {
        const viewport = fitted();
        const at = box(start);
        if (!viewport) return;
        if (viewport.zoom >= READABLE || !at) void flow.setViewport(viewport);
        else look(at.x + at.width / 2, at.y + at.height / 2, READABLE + 0.2, 0);
      },
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: 120 }),
      show: (id) => {
        const at = box(id);
        if (!at) return;
        const { x, y, zoom } = flow.getViewport();
        const { width, height } = size();
        const [left, top] = [at.x * zoom + x, at.y * zoom + y];
        const [right, bottom] = [left + at.width * zoom, top + at.height * zoom];
        const pad = 40;
        const across = right > width - pad ? width - pad - right : left < pad ? pad - left : 0;
        const down = bottom > height - pad ? height - pad - bottom : top < pad ? pad - top : 0;
        if (zoom < 0.3) control.centre(id);
        else if (across || down) void flow.setViewport({ x: x + across, y: y + down, zoom }, { duration: 150 });
      },
      centre: (id, zoom, right = 0, down = 0) => {
        const at = box(id);
        if (at) look(at.x + at.width / 2 + right, at.y + at.height / 2 + down, zoom ?? Math.max(0.8, flow.getZoom()));
      },
      look: (x, y) => look(x, y, flow.getZoom(), 0),
      place: () => {
        const all = known.current;
        if (!all) return null;
        const { x, y, zoom } = flow.getViewport();
        const { width, height } = size();
        const [atX, atY] = [(width / 2 - x) / zoom, (height / 2 - y) / zoom];
        let [best, least] = ["", Number.POSITIVE_INFINITY];
        let [right, down] = [0, 0];
        for (const item of all.scene.items) {
          const place = all.places[item.id];
          if (!place || item.kind !== "card") continue;
          const [dx, dy] = [atX - place.x - item.width / 2, atY - place.y - item.height / 2];
          if (Math.hypot(dx, dy) < least) [best, least, right, down] = [item.id, Math.hypot(dx, dy), dx, dy];
        }
        return best ? [best, zoom.toFixed(3), Math.round(right), Math.round(down)].join(":") : null;
      },
    };
    return control;
  }, [flow, store, hasMap]);
}

/** `KEY:zoom:right:down`, or null where it is something else. */
export function readPlace(text: string | null): { key: string; zoom: number; right: number; down: number } | null {
  const [, key, zoom, right, down] = /^(.+):([\d.]+):(-?\d+):(-?\d+)$/.exec(text ?? "") ?? [];
  if (!key) return null;
  const limited = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, Number(zoom) || 1));
  return { key, zoom: limited, right: Number(right), down: Number(down) };
}
