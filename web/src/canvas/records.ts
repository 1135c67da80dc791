/** The records of the API that the canvas draws. */
import type { components } from "@/api";
import type { Tone } from "@/parts";

type Schemas = components["schemas"];

/** A word on a card, such as what an overlay says of the proof of a version. */
export interface NodeMark {
  code: "proof" | "decision" | "unstable" | "aborted" | "retracted";
  tone: Tone;
  /** A decision in the words of the overlay. */
  text?: string;
}

/** A node as the server answers it; a picture that is made in the page may say more of it. */
export type PictureNode = Schemas["PictureNode"] & {
  marks?: readonly NodeMark[];
  /** What is listed in the panel: a word, and a value as it is. */
  facts?: readonly (readonly [word: string, value: string])[];
};
export type Picture = Omit<Schemas["Picture"], "nodes"> & { nodes: PictureNode[] };
export type PictureFlow = Schemas["PictureFlow"];
export type PictureJob = Schemas["PictureJob"];
export type PictureColumn = Schemas["PictureColumn"];
export type ColumnEdge = Schemas["ColumnEdge"];
export type Edge = Schemas["Edge"];
export type EdgeJob = Schemas["EdgeJob"];
export type Change = PictureNode["change"];
