import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Failure, type Query, useAnswer } from "@/api";
import { pictureIsAsked } from "@/frame/reports";
import type { ValuesOf } from "@/view";
import type { Picture } from "./records";
import { readPick } from "./scene/pick";
import type { CANVAS_VIEW } from "./view";

export const MOST_NODES = 2000;
type View = ValuesOf<typeof CANVAS_VIEW>;

/** The question to the server behind a view. `of`: cards whose columns are asked for; all of them where it is null. */
export function pictureQuery(
  id: string,
  view: View,
  moment: string | null,
  columns: "none" | "lit" | "all",
  more: Query = {},
): Query {
  const isColumn = view.by === "column";
  const ofRuns = view.by === "run" || view.by === "operation" || isRun(more["compared_to"]);
  return {
    name: id,
    steps: view.steps === 1 ? null : view.steps,
    direction: view.way === "both" ? null : view.way,
    granularity: isRun(more["compared_to"]) ? "RUN" : isColumn || view.by === "dataset" ? null : view.by.toUpperCase(),
    // Of runs, a moment is the end of a window: each of them did what it did.
    as_of: ofRuns ? null : moment,
    since: moment && !ofRuns ? null : view.from_time,
    until: ofRuns ? (moment ?? view.to_time) : moment ? null : view.to_time,
    columns: columns === "none" ? null : columns,
    hide: view.hide,
    expand: view.expand,
    ends: view.ends || null,
    limit: view.steps > 3 || view.expand.length > 20 ? MOST_NODES : null,
    ...more,
  };
}

function isRun(compared: unknown): boolean {
  return typeof compared === "string" && compared.startsWith("run:");
}

/** Pictures up to this size come with all their columns. */
const SMALL = 150;

/**
 * The picture at once; with columns right after it where it is small. Of a large one, the columns of cards that are
 * unfolded, or those on the path of the column that is selected.
 */
export function usePicture(
  id: string,
  view: View,
  moment: string | null,
  compared: string | null = null,
): { answer: UseQueryResult<Picture, Failure>; withColumns: Picture | null } {
  const more: Query = compared ? { compared_to: compared } : {};
  const plain = useAnswer<Picture>("/api/v2/picture", pictureQuery(id, view, moment, "none", more), { keep: true });
  const isAsking = plain.isFetching;
  useEffect(() => {
    if (isAsking) pictureIsAsked();
  }, [isAsking]);
  const isSmall = (plain.data?.nodes.length ?? 0) <= SMALL || view.by === "column";
  const picked = readPick(view.pick);
  const asked: Query = isSmall
    ? pictureQuery(id, view, moment, "all", more)
    : picked?.kind === "column"
      ? pictureQuery(id, view, moment, "lit", { ...more, column: `${idOf(plain.data, picked.key)}#${picked.column}` })
      : pictureQuery(id, view, moment, "all", { ...more, columns_of: view.unfold });
  const full = useAnswer<Picture>("/api/v2/picture", asked, {
    when: plain.data !== undefined && !plain.isPlaceholderData && (isSmall || wantsColumns(view)),
    keep: true,
  });
  const isSame =
    full.data !== undefined && !plain.isPlaceholderData && (!full.isPlaceholderData || isNear(full.data, plain.data));
  return { answer: plain, withColumns: isSame ? full.data : null };
}

function idOf(picture: Picture | undefined, key: string): string {
  return picture?.nodes.find((node) => node.key === key)?.id ?? key;
}

/** Whether an older answer has the same nodes: then it is shown until the new one is there. */
function isNear(older: Picture, newer: Picture | undefined): boolean {
  return older.start === newer?.start && older.nodes.length === newer.nodes.length;
}

export function wantsColumns(view: View): boolean {
  return view.by === "column" || view.unfold.length > 0 || (view.pick?.includes("#") ?? false);
}
