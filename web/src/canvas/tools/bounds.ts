import type { LaidOut } from "../layout/useLayout";

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The rectangle around all that is drawn, or null where nothing is. */
export function boundsOf({ scene, places }: Pick<LaidOut, "scene" | "places">): Bounds | null {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [right, bottom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const item of scene.items) {
    const place = places[item.id];
    if (!place) continue;
    left = Math.min(left, place.x);
    top = Math.min(top, place.y);
    right = Math.max(right, place.x + item.width);
    bottom = Math.max(bottom, place.y + item.height);
  }
  return left > right ? null : { x: left, y: top, width: right - left, height: bottom - top };
}

/** Whether something that is drawn lies below a rectangle of the window. */
export function coveredAt(
  { scene, places }: Pick<LaidOut, "scene" | "places">,
  { x, y, zoom }: { x: number; y: number; zoom: number },
  by: Bounds,
): boolean {
  return scene.items.some((item) => {
    const place = places[item.id];
    if (!place) return false;
    const [left, top] = [place.x * zoom + x, place.y * zoom + y];
    const [right, bottom] = [left + item.width * zoom, top + item.height * zoom];
    return left < by.x + by.width && right > by.x && top < by.y + by.height && bottom > by.y;
  });
}
