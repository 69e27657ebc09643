/** `capstan.config.ts`: what a project adds to the server in code. Everything in it is optional. */
import type { Capability } from "./capability.ts";
import type { CodingAgentAdapter } from "./coding-agents/adapter.ts";
import type { Scorer } from "./evals/scorer.ts";

export interface CapstanConfig {
  /** Registered beside the built-in ones. */
  readonly capabilities?: readonly Capability[];
  /** Capabilities without code: YAML or JSON documents as objects. */
  readonly documents?: readonly unknown[];
  /** Coding agents in addition to the ten: to run directly, and as harnesses of agents. */
  readonly codingAgents?: readonly CodingAgentAdapter[];
  /** Your own scorers, made with `defineScorer`; experiments refer to them by name. */
  readonly scorers?: readonly Scorer[];
}

/** Exists for its types: `export default defineConfig({ ... })`. */
export const defineConfig = (config: CapstanConfig): CapstanConfig => config;
