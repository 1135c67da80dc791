import type { Picture } from "../records";
import { NOTHING, type Picked, readPick } from "./pick";

/** What is selected in a picture: what the address says, or the column that the picture is about. Pure. */
export function pickedIn(picture: Pick<Picture, "nodes" | "start">, pick: string | null, id: string): Picked | null {
  if (pick === NOTHING) return null;
  if (pick) return readPick(pick);
  const start = picture.nodes.find(({ key }) => key === picture.start);
  if (!start || !id.includes("#")) return null;
  const column = id.startsWith(`${start.id}#`) ? id.slice(start.id.length + 1) : null;
  return column ? { kind: "column", key: start.key, column } : null;
}
