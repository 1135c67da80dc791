import type { UseQueryResult } from "@tanstack/react-query";
import { type Failure, type Query, useAnswer } from "@/api";
import type { ValuesOf } from "@/view";
import type { Picture } from "./records";
import type { CANVAS_VIEW } from "./view";

export const MOST_NODES = 2000;
type View = ValuesOf<typeof CANVAS_VIEW>;

/** The question to the server behind a view. */
export function pictureQuery(id: string, view: View, moment: string | null, columns: "none" | "all"): Query {
  const isColumn = view.by === "column";
  return {
    name: id,
    steps: view.steps === 1 ? null : view.steps,
    direction: view.way === "both" ? null : view.way,
    granularity: isColumn || view.by === "dataset" ? null : view.by.toUpperCase(),
    as_of: moment,
    since: moment ? null : view.from_time,
    until: moment ? null : view.to_time,
    columns: columns === "none" ? null : columns,
    hide: view.hide,
    expand: view.expand,
    ends: view.ends || null,
    limit: view.steps > 3 || view.expand.length > 20 ? MOST_NODES : null,
  };
}

/** The picture; its columns come right after it where it is small, or when they are asked for. */
export function usePicture(
  id: string,
  view: View,
  moment: string | null,
): { answer: UseQueryResult<Picture, Failure>; withColumns: Picture | null } {
  const plain = useAnswer<Picture>("/api/v2/picture", pictureQuery(id, view, moment, "none"), { keep: true });
  const isSmall = (plain.data?.nodes.length ?? 0) <= 150;
  const full = useAnswer<Picture>("/api/v2/picture", pictureQuery(id, view, moment, "all"), {
    when: plain.data !== undefined && !plain.isPlaceholderData && (isSmall || wantsColumns(view)),
    keep: true,
  });
  const isSame = full.data !== undefined && !full.isPlaceholderData && !plain.isPlaceholderData;
  return { answer: plain, withColumns: isSame ? full.data : null };
}

export function wantsColumns(view: View): boolean {
  return view.by === "column" || view.unfold.length > 0 || (view.pick?.includes("#") ?? false);
}
