import { createContext, useContext } from "react";
import type { PictureNode } from "../records";
import type { Lit } from "../scene/light";
import type { Picked } from "../scene/pick";

/** What can be done to what is drawn. */
export interface Acts {
  pick: (picked: Picked | null) => void;
  hover: (picked: Picked | null) => void;
  expand: (key: string, side: "upstream" | "downstream" | "both") => void;
  unfold: (key: string) => void;
  unfoldGroup: (id: string) => void;
  scroll: (key: string, top: number) => void;
  openPage: (node: Pick<PictureNode, "kind" | "id">) => void;
}

/** What is in full colour, and where the keyboard is. */
export interface Light {
  lit: Lit | null;
  picked: Picked | null;
  /** Id of the item that the arrow keys are at. */
  cursor: string | null;
}

const nothing = () => {};
const ActsContext = createContext<Acts>({
  pick: nothing,
  hover: nothing,
  expand: nothing,
  unfold: nothing,
  unfoldGroup: nothing,
  scroll: nothing,
  openPage: nothing,
});
const LightContext = createContext<Light>({ lit: null, picked: null, cursor: null });

export const ActsProvider = ActsContext.Provider;
export const LightProvider = LightContext.Provider;
export const useActs = () => useContext(ActsContext);
export const useLight = () => useContext(LightContext);
