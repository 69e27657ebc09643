/** The result of `compose`: an agent ready to run, with everything a person may want to know before it does. */
import type { AgentSpec } from "./agent.ts";
import type { Capability } from "./capability.ts";
import type { ConnectionNeed } from "./connections/connection-need.ts";
import type { GateHooks } from "./gate-hooks.ts";
import type { AnyTool, ToolPolicy } from "./tool.ts";

export interface RuntimeTool {
  /** As this agent sees it, with the prefix. */
  readonly name: string;
  readonly capabilityId: string;
  readonly tool: AnyTool;
  readonly policy: ToolPolicy;
  /** Scopes of the tool and its capability together. */
  readonly scopes: readonly string[];
  /** Accounts of the user that the tool and its capability need. */
  readonly connections: readonly ConnectionNeed[];
  readonly config: unknown;
}

export type HiddenReason = "scope" | "status" | "policy" | "unavailable";

export interface HiddenTool {
  readonly name: string;
  readonly capabilityId: string;
  readonly reason: HiddenReason;
  readonly detail: string;
  /** The scopes that would make it visible. */
  readonly missingScopes: readonly string[];
}

export interface ComposedCapability {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly position: number;
  /** The capability that requires it, when the agent does not list it itself. */
  readonly requiredBy?: string;
  readonly promptTokens: number;
  readonly toolTokens: number;
  readonly hooks: readonly ("beforeCall" | "afterCall")[];
  readonly policies: Readonly<Record<string, ToolPolicy>>;
  readonly excluded: boolean;
}

export interface RuntimeHooks {
  readonly capabilityId: string;
  readonly hooks: GateHooks;
}

export interface RuntimeAgent {
  readonly spec: AgentSpec;
  readonly systemPrompt: string;
  readonly tools: readonly RuntimeTool[];
  readonly hidden: readonly HiddenTool[];
  readonly capabilities: readonly ComposedCapability[];
  readonly hooks: readonly RuntimeHooks[];
  readonly warnings: readonly string[];
  /** What the composed prompt and the tools cost on every model call. */
  readonly tokens: { readonly prompt: number; readonly tools: number; readonly total: number };
  /** The scopes this was composed with. */
  readonly scopes: readonly string[];
}

export interface ResolvedCapability {
  readonly capability: Capability;
  readonly config: unknown;
  readonly prefix: string;
  readonly requiredBy?: string;
}
