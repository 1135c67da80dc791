/** The records of the API that the canvas draws. */
import type { components } from "@/api";

type Schemas = components["schemas"];
export type Picture = Schemas["Picture"];
export type PictureNode = Schemas["PictureNode"];
export type PictureFlow = Schemas["PictureFlow"];
export type PictureJob = Schemas["PictureJob"];
export type PictureColumn = Schemas["PictureColumn"];
export type ColumnEdge = Schemas["ColumnEdge"];
export type Edge = Schemas["Edge"];
export type EdgeJob = Schemas["EdgeJob"];
export type Change = PictureNode["change"];
