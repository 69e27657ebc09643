export {
  type Capability,
  type CapabilityDefinition,
  type CapabilityRisk,
  type CapabilitySource,
  type CapabilityStatus,
  defineCapability,
  type RoutingHints,
} from "./capability.ts";
export { FAILURES, type FailureCode, fail } from "./failures/fail.ts";
export type { Failure } from "./failures/failure.ts";
export type { GateHooks, HookCall, HookVerdict } from "./gate-hooks.ts";
export { type Ok, ok, type Refused, type Result } from "./result.ts";
export { type JsonSchema, type JsonValue, type Parsed, type Schema, zodSchema } from "./schema.ts";
export type { FileStat, GrepMatch, SessionFileStore } from "./session-files.ts";
export { type AnyTool, defineTool, type Tool, type ToolDefinition, type ToolPolicy } from "./tool.ts";
export type {
  CapabilityStore,
  GuardedFetch,
  GuardedFetchOptions,
  Sandbox,
  SandboxLanguage,
  SandboxOutcome,
  SandboxRequest,
  ToolContext,
  ToolUser,
} from "./tool-context.ts";
