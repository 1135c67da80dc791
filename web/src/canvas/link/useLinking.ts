import { type PointerEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type components, useAnswer } from "@/api";
import { mayDo, useSession } from "@/frame/session";
import type { Item } from "../scene/scene";
import { endAt } from "./ends";
import type { Linking } from "./LinkContext";
import { type End, mayBegin, refusalOf, type Rule } from "./rules";

type Rules = components["schemas"]["RulesAnswer"];

/** Pointers that moved less have clicked. */
const CLICK = 6;

/** Ends of the edge that a dialog asks about; `to` is null where the other end is to be searched for. */
export interface Asked {
  from: End;
  to: End | null;
}

export interface LinkState {
  linking: Linking;
  /** What the pointer is over while an edge is being drawn. */
  over: End | null;
  asked: Asked | null;
  close: () => void;
  /** The line from where the edge begins to the pointer. */
  line: RefObject<SVGLineElement | null>;
}

/** Drawing edges by hand from a handle to a card, pill or column; offered to editors, and not in the past. */
export function useLinking(items: readonly Item[], offered: boolean, stage: RefObject<HTMLElement | null>): LinkState {
  const { session } = useSession();
  const may = offered && mayDo(session, "editor");
  const rules = useAnswer<Rules>("/api/v2/edits/rules", {}, { when: may, keep: true }).data?.rules;
  const [from, setFrom] = useState<End | null>(null);
  const [over, setOver] = useState<End | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const line = useRef<SVGLineElement>(null);
  const began = useRef({ x: 0, y: 0 });
  const known = useRef(new Map<string, Item>());
  known.current = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);

  const linking = useMemo<Linking>(() => {
    const table: readonly Rule[] = rules ?? [];
    return {
      from,
      offers: (kind) => may && mayBegin(table, kind),
      refusal: (to) => (from ? refusalOf(table, from, to) : null),
      begin: (end, event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.stopPropagation();
        began.current = { x: event.clientX, y: event.clientY };
        setFrom(end);
      },
      search: (end) => setAsked({ from: end, to: null }),
    };
  }, [rules, may, from]);

  useEffect(() => {
    if (!from) return;
    const place = (x: number, y: number) => {
      const box = stage.current?.getBoundingClientRect();
      const at = began.current;
      for (const [name, value] of Object.entries({
        x1: at.x - (box?.left ?? 0),
        y1: at.y - (box?.top ?? 0),
        x2: x - (box?.left ?? 0),
        y2: y - (box?.top ?? 0),
      }))
        line.current?.setAttribute(name, String(Math.round(value)));
    };
    const target = (event: { clientX: number; clientY: number }) =>
      endAt(event.clientX, event.clientY, known.current, from);
    const move = (event: globalThis.PointerEvent) => {
      place(event.clientX, event.clientY);
      const to = target(event);
      setOver((before) => (before?.id === to?.id ? before : to));
    };
    const stop = () => {
      setFrom(null);
      setOver(null);
    };
    const drop = (event: globalThis.PointerEvent) => {
      const moved = Math.hypot(event.clientX - began.current.x, event.clientY - began.current.y);
      const to = target(event);
      if (moved < CLICK) setAsked({ from, to: null });
      else if (to && !linking.refusal(to)) setAsked({ from, to });
      stop();
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      stop();
    };
    place(began.current.x, began.current.y);
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", stop);
    addEventListener("keydown", press, true);
    return () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", stop);
      removeEventListener("keydown", press, true);
    };
  }, [from, linking, stage]);

  return { linking, over, asked, close: useCallback(() => setAsked(null), []), line };
}
