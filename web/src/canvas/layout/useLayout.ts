import { useEffect, useMemo, useRef, useState } from "react";
import { pictureIsDrawn } from "@/frame/reports";
import type { Scene } from "../scene/scene";
import { type Asked, answered } from "./asked";
import type { Places } from "./graph";

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, (places: Places) => void>();

/** Asks the worker; where there is none (an old browser, a test), it is done here. */
export function askLayout(asked: Asked): Promise<Places> {
  if (typeof Worker === "undefined") return Promise.resolve(answered(asked));
  if (!worker) {
    worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<{ id: number; places: Places }>) => {
      waiting.get(event.data.id)?.(event.data.places);
      waiting.delete(event.data.id);
    };
    worker.onerror = () => {
      for (const [id, resolve] of waiting) {
        waiting.delete(id);
        resolve({});
      }
    };
  }
  last += 1;
  const id = last;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ id, asked });
  });
}

export interface LaidOut {
  scene: Scene;
  places: Places;
  /** Counts fresh layouts, after which the whole is brought into view. */
  fresh: number;
}

/**
 * The scene with places for all of it, or the one before while the new one is laid out.
 * As long as `whole` stays the same, what has a place keeps it; otherwise all is laid out afresh.
 */
export function useLayout(scene: Scene | null, whole: string): LaidOut | null {
  const [laidOut, setLaidOut] = useState<(LaidOut & { whole: string }) | null>(null);
  const before = useRef(laidOut);
  before.current = laidOut;
  const asked = useMemo(
    () =>
      scene && {
        boxes: scene.items.map(({ id, width, height }) => ({ id, width, height })),
        arrows: scene.lines.map(({ from, to, span }) => ({ from, to, span })),
      },
    [scene],
  );
  useEffect(() => {
    if (!scene || !asked) return;
    let isWanted = true;
    const known = before.current?.whole === whole ? before.current : null;
    const began = performance.now();
    void askLayout({ ...asked, before: known?.places ?? null }).then((places) => {
      if (!isWanted) return;
      pictureIsDrawn(performance.now() - began, asked.boxes.length);
      setLaidOut((now) => ({ scene, places, whole, fresh: (now?.fresh ?? 0) + (known ? 0 : 1) }));
    });
    return () => {
      isWanted = false;
    };
  }, [scene, asked, whole]);
  return laidOut;
}
