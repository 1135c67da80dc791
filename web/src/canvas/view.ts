import { flag, list, oneOf, optional, whole } from "@/view";

export const MOST_STEPS = 20;
export const DAYS = [1, 7, 14, 30, 90] as const;

/** What the address says of a canvas, beside what it is about. Names are short: they share the address with the page around. */
export const CANVAS_VIEW = {
  steps: whole(1, 0, MOST_STEPS),
  way: oneOf(["both", "upstream", "downstream"]),
  by: oneOf(["dataset", "job", "application", "run", "operation", "column"]),
  from_time: optional(),
  to_time: optional(),
  jobs: oneOf(["pills", "hidden"]),
  ends: flag(),
  hide: list(),
  group: oneOf(["none", "location", "schema"]),
  /** Groups that are unfolded. */
  ungrouped: list(),
  /** KEY:upstream, KEY:downstream or KEY. */
  expand: list(),
  /** Cards whose columns are listed. */
  unfold: list(),
  pick: optional(),
  /** What is in the middle, and how large: KEY:zoom:right:down. */
  at: optional(),
  map: flag(true),
  /** Days that the slider of moments covers. */
  days: whole(14, 1, 90),
};
