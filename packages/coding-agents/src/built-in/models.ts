/** Every bundled list of models: of the built-in agents that have one, and `native`. */
import type { ModelSnapshot } from "@capstan/core/internal";
import { type AgentModels, makeSnapshot } from "../models/make-snapshot.ts";
import { everyProvider, type ModelSource } from "../models/model-sources.ts";
import { nativeModels } from "../models/native.ts";
import { BUILT_IN_ADAPTERS } from "./built-in-agents.ts";

export interface RefreshableModels {
  readonly models: AgentModels;
  /** Absent: the bundled list is all there is. */
  readonly source?: ModelSource | undefined;
}

export const AGENT_MODELS: readonly RefreshableModels[] = Object.freeze([
  ...Object.values(BUILT_IN_ADAPTERS).flatMap(({ models, modelSource }) =>
    models ? [{ models, source: modelSource }] : [],
  ),
  { models: nativeModels, source: everyProvider },
]);

export const MODEL_SNAPSHOTS: readonly ModelSnapshot[] = Object.freeze(
  AGENT_MODELS.map(({ models }) => makeSnapshot(models)),
);
