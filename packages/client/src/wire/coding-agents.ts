/** Coding agents and models: manifests keep the camelCase of the seed that defines them. */
import type {
  CodingAgentCapabilities,
  EffectiveCapabilities,
  ModelCapabilities,
} from "@capstan/core/internal";

export interface CodingAgentInfo {
  name: string;
  display_name: string;
  installed: boolean;
  version: string | null;
  /** Names of what holds a login, never the login. */
  login: { found: boolean; by: string[] };
  problem: string | null;
  next_step: string | null;
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

/** What the doctor tells while it looks at one agent after the other. */
export type DoctorEvent =
  | { type: "checking"; agent: string; name: string }
  | {
      type: "checked";
      agent: string;
      displayName: string;
      installed: boolean;
      version?: string;
      problem?: string;
      nextStep?: string;
    }
  | { type: "probing"; agent: string }
  | {
      type: "probed";
      agent: string;
      report: {
        differences: { field: string; declared: boolean; observed: boolean }[];
        inconclusive: { scenario: string; why: string }[];
      } | null;
    }
  | { type: "done" };
