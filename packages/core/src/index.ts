/** Everything authors of capabilities, agents and configs need. Names shared only by our own packages are in `internal.ts`. */

export { type AgentSpec, agentSpec, type CapabilityRef, type RunLimits } from "./agent.ts";
export {
  type Capability,
  type CapabilityDefinition,
  type CapabilityRisk,
  type CapabilityStatus,
  defineCapability,
  type RoutingHints,
} from "./capability.ts";
export { type ComposeGrants, type CountTokens, compose } from "./compose.ts";
export { type CapstanConfig, defineConfig } from "./config.ts";
export type { ConnectionNeed } from "./connections/connection-need.ts";
export type { DataRead, DataWrite } from "./data-flow/data-flow.ts";
export { type AgentCapabilities, discover } from "./discover.ts";
export { defineScorer } from "./evals/scorer.ts";
export type { RunEvent } from "./events.ts";
export { type FailureCode, fail } from "./failures/fail.ts";
export type { Failure } from "./failures/failure.ts";
export type { GateHooks, HookCall, HookText, HookVerdict, TextVerdict } from "./gate-hooks.ts";
export { type Manifest, type ManifestAction, readManifest } from "./manifest/manifest.ts";
export { memoryFileStore } from "./memory-files.ts";
export { CapabilityRegistry } from "./registry.ts";
export { type Ok, ok, type Refused, type Result } from "./result.ts";
export { routeDocument } from "./route/document.ts";
export { plan } from "./route/plan.ts";
export { type Match, rank } from "./route/rank.ts";
export { createRouteIndex } from "./route/route-index.ts";
export type { HiddenTool, RuntimeAgent, RuntimeTool } from "./runtime-agent.ts";
export { type JsonSchema, type JsonValue, type Schema, zodSchema } from "./schema.ts";
export type { FileStat, SessionFileStore } from "./session-files.ts";
export {
  type AnyTool,
  defineTool,
  type Tool,
  type ToolDefinition,
  type ToolPolicy,
  type ToolRisk,
} from "./tool.ts";
export type {
  CallConnection,
  CapabilityStore,
  GuardedFetch,
  GuardedFetchOptions,
  ProgressReport,
  Sandbox,
  SandboxLanguage,
  SandboxOutcome,
  SandboxRequest,
  ToolContext,
  ToolUser,
} from "./tool-context.ts";
