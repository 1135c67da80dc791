import { useEffect, useMemo, useRef, useState } from "react";
import { pictureIsDrawn } from "@/frame/reports";
import type { Scene } from "../scene/scene";
import type { ColumnEdge } from "../records";
import { flowId } from "../scene/pick";
import { CARD_HEAD } from "../scene/size";
import { type Answered, type Asked, answered } from "./asked";
import type { Arrow, Places } from "./graph";
import type { Routes } from "./routes";

let worker: Worker | null = null;
let isBroken = typeof Worker === "undefined";
let last = 0;
const waiting = new Map<number, { asked: Asked; resolve: (answer: Answered) => void }>();

/** Asks the worker; where there is none (an old browser, a test, a file that could not be fetched), it is done here. */
export function askLayout(asked: Asked): Promise<Answered> {
  if (isBroken) return Promise.resolve(answered(asked));
  if (!worker) {
    worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<{ id: number; answer: Answered }>) => {
      waiting.get(event.data.id)?.resolve(event.data.answer);
      waiting.delete(event.data.id);
    };
    worker.onerror = () => {
      isBroken = true;
      for (const { asked: open, resolve } of waiting.values()) resolve(answered(open));
      waiting.clear();
    };
  }
  last += 1;
  const id = last;
  return new Promise((resolve) => {
    waiting.set(id, { asked, resolve });
    worker?.postMessage({ id, asked });
  });
}

export interface LaidOut {
  scene: Scene;
  places: Places;
  /** How lines lead around cards. */
  routes: Routes;
  /** Counts fresh layouts, after which the whole is brought into view. */
  fresh: number;
}

/**
 * The scene with places for all of it, or the one before while the new one is laid out.
 * As long as `whole` stays the same, what has a place keeps it; otherwise all is laid out afresh.
 */
export function useLayout(scene: Scene | null, edges: readonly ColumnEdge[], whole: string): LaidOut | null {
  const [laidOut, setLaidOut] = useState<(LaidOut & { whole: string }) | null>(null);
  const before = useRef(laidOut);
  before.current = laidOut;
  const asked = useMemo(
    () =>
      scene && {
        boxes: scene.items.map(({ id, width, height, kind }) => ({
          id,
          width,
          height,
          port: kind === "card" ? CARD_HEAD / 2 : height / 2,
          low: kind === "pill",
        })),
        arrows: scene.lines.map(({ from, to, span }) => ({ from, to, span })),
        pairs: pairsOf(scene, edges),
      },
    [scene, edges],
  );
  useEffect(() => {
    if (!scene || !asked) return;
    let isWanted = true;
    const known = before.current?.whole === whole ? before.current : null;
    const began = performance.now();
    void askLayout({ ...asked, before: known?.places ?? null }).then(({ places, routes }) => {
      if (!isWanted) return;
      pictureIsDrawn(performance.now() - began, asked.boxes.length);
      setLaidOut((now) => ({ scene, places, routes, whole, fresh: (now?.fresh ?? 0) + (known ? 0 : 1) }));
    });
    return () => {
      isWanted = false;
    };
  }, [scene, asked, whole]);
  return laidOut;
}

/** Pairs of cards between which edges of columns are drawn instead of a line. */
function pairsOf({ items }: Scene, edges: readonly ColumnEdge[]): Arrow[] {
  const cards = new Map(
    items.flatMap((item) => (item.kind === "card" ? [[item.id, item.rows !== null] as const] : [])),
  );
  const found = new Map<string, Arrow>();
  for (const { from, to } of edges) {
    const [first, last] = [cards.get(from), cards.get(to)];
    if (first === undefined || last === undefined || !(first || last)) continue;
    found.set(flowId(from, to), { from, to });
  }
  return [...found.values()];
}
