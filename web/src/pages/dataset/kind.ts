import type { DatasetEntity } from "../shared/records";

/** Charts and dashboards are datasets whose `datasetType` says so. */
export function kindOf(dataset: Pick<DatasetEntity, "facets">): "dataset" | "chart" | "dashboard" {
  const said = (dataset.facets as { datasetType?: { datasetType?: unknown } }).datasetType?.datasetType;
  const word = typeof said === "string" ? said.toLowerCase() : "";
  return word.includes("dashboard") ? "dashboard" : word.includes("chart") ? "chart" : "dataset";
}
