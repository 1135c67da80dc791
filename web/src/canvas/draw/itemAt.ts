import type { Places } from "../layout/graph";
import type { Item, Scene } from "../scene/scene";

/** The item at a point of the picture, or null. Pure. */
export function itemAt(scene: Scene, places: Places, { x, y }: { x: number; y: number }): Item | null {
  return (
    scene.items.find((item) => {
      const place = places[item.id];
      return (
        place !== undefined && x >= place.x && x <= place.x + item.width && y >= place.y && y <= place.y + item.height
      );
    }) ?? null
  );
}
