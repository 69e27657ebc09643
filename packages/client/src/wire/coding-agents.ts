/** Coding agents and models: manifests keep the camelCase of the seed that defines them. */
import type { CodingAgentCapabilities, EffectiveCapabilities, ModelCapabilities } from "@capstan/core";

export interface CodingAgentInfo {
  name: string;
  display_name: string;
  installed: boolean;
  version: string | null;
  /** Names of what holds a login, never the login. */
  login: { found: boolean; by: string[] };
  problem?: string;
  next_step?: string;
  declared: CodingAgentCapabilities;
  /** What the last probe of the installed version found. */
  probed: {
    version: string;
    date: string;
    observed: Record<string, boolean>;
    [more: string]: unknown;
  } | null;
  /** What is in force: declared, with what was seen laid over it. */
  observed: EffectiveCapabilities | null;
  /** The row of the specification's matrix. */
  row?: Record<string, string>;
}

export type ModelInfo = ModelCapabilities & { isDefault: boolean };

export interface CodingAgentRun {
  prompt: string;
  model?: string;
  [option: string]: unknown;
}
