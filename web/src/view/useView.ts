import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef } from "react";
import { type Fields, optional, readView, type Search, type ValuesOf, writeView } from "./state";

export type SetView<F extends Fields> = (values: Partial<ValuesOf<F>>, how?: { push?: boolean }) => void;

/**
 * The part of the URL that a view is about. `fields` is a constant outside the component.
 * Setting replaces the address; with `push` the browser's Back returns to the view before.
 */
export function useView<F extends Fields>(fields: F): [ValuesOf<F>, SetView<F>] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const values = useMemo(() => readView(fields, search), [fields, search]);
  const known = useRef(fields);
  known.current = fields;
  const set = useCallback<SetView<F>>(
    (next, { push = false } = {}) => {
      void navigate({
        to: ".",
        search: ((before: Search) => withGone(writeView(known.current, before, next), Object.keys(next))) as never,
        replace: !push,
      });
    },
    [navigate],
  );
  return [values, set];
}

/** What has just been taken out stays named, as undefined: the router keeps moment and tenant of searches that do not name them. */
function withGone(search: Search, names: readonly string[]): Record<string, string | string[] | undefined> {
  return { ...Object.fromEntries(names.map((name) => [name, undefined])), ...search };
}

const FRAME = { as_of: optional(), tenant: optional() };

/** The moment that is looked at, or null for now; pass it as `as_of` to every question that takes it. */
export function useMoment(): string | null {
  return useView(FRAME)[0].as_of;
}

export function useFrameView(): ReturnType<typeof useView<typeof FRAME>> {
  return useView(FRAME);
}
