import { type KeyboardEvent, useCallback } from "react";
import type { Acts } from "../draw/acts";
import type { LaidOut } from "../layout/useLayout";
import type { Picture } from "../records";
import type { Picked } from "../scene/pick";
import type { StageControl } from "../tools/useStageControl";
import { type Arrow, columnBeside, itemBeside, nextFlow } from "./walk";

const ARROWS: Record<string, Arrow> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

export interface Keyed {
  picture: Picture;
  laidOut: LaidOut | null;
  picked: Picked | null;
  cursor: string;
  acts: Acts;
  control: StageControl;
  onFind: () => void;
  onTidy: () => void;
  onHelp: () => void;
  onLink: () => void;
}

/** What the keyboard does on the canvas; keys typed into fields, or with Ctrl, are left alone. */
export function useKeys(of: Keyed): (event: KeyboardEvent) => void {
  const { picture, laidOut, picked, cursor, acts, control, onFind, onTidy, onHelp, onLink } = of;
  return useCallback(
    (event: KeyboardEvent) => {
      const isField = (event.target as HTMLElement).matches("input, textarea, select, [role^=menuitem]");
      if (isField || event.ctrlKey || event.metaKey || event.altKey || !laidOut) return;
      const act = actOf(event.key);
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- actOf is made of these
    [picture, laidOut, picked, cursor, acts, control, onFind, onTidy, onHelp, onLink],
  );

  function actOf(key: string): (() => void) | null {
    const arrow = ARROWS[key];
    if (arrow) return () => step(arrow);
    const node = picture.nodes.find((one) => one.key === cursor);
    const acting: Record<string, () => void> = {
      Enter: enter,
      Escape: leave,
      f: onFind,
      t: onTidy,
      l: onLink,
      "?": onHelp,
      "0": control.fit,
      "+": () => control.zoomBy(1.25),
      "=": () => control.zoomBy(1.25),
      "-": () => control.zoomBy(0.8),
      c: () => acts.unfold(cursor),
      e: explain,
      o: () => node && acts.openPage(node),
    };
    return acting[key] ?? null;
  }

  function step(arrow: Arrow): void {
    if (!laidOut) return;
    if (picked?.kind === "column") {
      const next = columnBeside(laidOut.scene, picture, picked, arrow);
      if (next) {
        acts.pick(next);
        control.show(next.key);
      }
      return;
    }
    const next = itemBeside(laidOut.scene, laidOut.places, cursor, arrow);
    if (!next) return;
    acts.pick({ kind: "node", key: next });
    control.show(next);
  }

  function enter(): void {
    if (picked?.kind === "column" || !laidOut) return;
    const item = laidOut.scene.items.find(({ id }) => id === cursor);
    if (item?.kind === "group") acts.unfoldGroup(item.id);
    if (item?.kind !== "card") return;
    const { more } = item.node;
    if (more.upstream + more.downstream > 0) acts.expand(item.id, "both");
    else if (!item.rows && item.node.columns_total > 0) acts.unfold(item.id);
    else if (item.rows?.[0]) acts.pick({ kind: "column", key: item.id, column: item.rows[0].name });
  }

  function explain(): void {
    const shown = picked?.kind === "flow" ? picked : null;
    const key = shown && (shown.from === cursor || shown.to === cursor) ? cursor : cursor;
    const flow = nextFlow(picture.flows, key, shown);
    if (flow) acts.pick({ kind: "flow", from: flow.from, to: flow.to });
  }

  function leave(): void {
    acts.pick(picked?.kind === "column" ? { kind: "node", key: picked.key } : null);
  }
}
