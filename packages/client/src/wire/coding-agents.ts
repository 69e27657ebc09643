/** Coding agents and models: manifests keep the camelCase of the seed that defines them. */
import type { ModelCapabilities } from "@capstan/core";
import type { JsonObject } from "./page.ts";

export interface CodingAgentInfo {
  name: string;
  display_name: string;
  installed: boolean;
  version?: string | null;
  declared: JsonObject;
  probed?: JsonObject | null;
  observed?: JsonObject | null;
  [more: string]: unknown;
}

export type ModelInfo = ModelCapabilities & { isDefault: boolean };

export interface CodingAgentRun {
  prompt: string;
  model?: string;
  [option: string]: unknown;
}
