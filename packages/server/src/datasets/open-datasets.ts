/** Datasets: cases to measure agents on. */
import { datasetStore } from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import { datasetExportRoutes, datasetItemRoutes } from "./dataset-item-routes.ts";
import { datasetRoutes } from "./dataset-routes.ts";
import type { DatasetParts } from "./import-items.ts";

export function openDatasets(opened: Omit<DatasetParts, "datasets">): Feature {
  const parts = { ...opened, datasets: datasetStore(opened.database.pool) };
  return { routes: [datasetRoutes(parts), datasetItemRoutes(parts), datasetExportRoutes(parts)] };
}
