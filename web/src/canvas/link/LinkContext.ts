import { createContext, type PointerEvent, useContext } from "react";
import type { End, Refusal } from "./rules";

/** Edges drawn by hand, as cards and columns see it. */
export interface Linking {
  /** The end that an edge is being drawn from. */
  from: End | null;
  /** Whether an edge may begin at such a thing, by this person and at this moment. */
  offers: (kind: string) => boolean;
  /** Why the edge that is being drawn may not lead there; null where it may. */
  refusal: (to: End) => Refusal | null;
  begin: (from: End, event: PointerEvent<HTMLElement>) => void;
  /** Without a pointer: the other end is searched for. */
  search: (from: End) => void;
}

const LinkContext = createContext<Linking>({
  from: null,
  offers: () => false,
  refusal: () => null,
  begin: () => {},
  search: () => {},
});

export const LinkProvider = LinkContext.Provider;
export const useLink = () => useContext(LinkContext);
