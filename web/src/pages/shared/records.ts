/** Names for the records of the API that pages draw. */
import type { components } from "@/api";

type Schemas = components["schemas"];
export type DatasetEntity = Schemas["DatasetEntity"];
export type DatasetItem = Schemas["DatasetItem"];
export type JobEntity = Schemas["JobEntity"];
export type JobItem = Schemas["JobItem"];
export type RunEntity = Schemas["RunEntity"];
export type RunItem = Schemas["RunItem"];
export type RunDataset = Schemas["RunDatasetItem"];
export type LocationEntity = Schemas["LocationEntity"];
export type LocationItem = Schemas["LocationItem"];
export type UserEntity = Schemas["UserEntity"];
export type UserItem = Schemas["UserItem"];
export type TagItem = Schemas["TagItem"];
export type StatementEntity = Schemas["SqlEntity"];
export type StatementItem = Schemas["SqlItem"];
export type EditItem = Schemas["EditItem"];
export type EditAnswer = Schemas["EditAnswer"];
export type ColumnSource = Schemas["ColumnSource"];
export type SchemaField = Schemas["SchemaField"];
export type SchemaVersion = Schemas["SchemaHistoryItem"];
export type SearchHit = Schemas["SearchHit"];
export type SearchAnswer = Schemas["SearchAnswer"];

/** A part of a list, with the cursor of the next part. */
export interface PageOf<T> {
  items: T[];
  total: number;
  next: string | null;
}
