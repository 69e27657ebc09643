/** An agent as it is declared: who it is, what it may do, and how far a run of it may go. */
import type { ToolPolicy } from "./tool.ts";

/** A capability in an agent's list. The list's order is the priority. */
export interface CapabilityRef {
  readonly id: string;
  readonly config?: unknown;
  /** Put before each tool name of this capability, to end a conflict. */
  readonly prefix?: string;
  /** A pinned semver version; another registered one is refused. */
  readonly version?: string;
}

/** Where a run ends by itself. Absent = the server's default. */
export interface RunLimits {
  readonly maxSteps?: number;
  readonly maxSeconds?: number;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
}

/** What happens to an approval nobody answers: it waits, expires as a denial, or goes to someone else. */
export type ApprovalExpiry =
  | { readonly policy: "wait" }
  | { readonly policy: "expire"; readonly afterSeconds: number }
  | { readonly policy: "escalate"; readonly afterSeconds: number; readonly to: string };

export interface AgentSpec {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Bumped on every change. */
  readonly version: number;
  readonly systemPrompt: string;
  /** `provider/model`; absent = the server's default. */
  readonly model?: string;
  /** `native`, or the name of a coding agent. */
  readonly harness: string;
  readonly capabilities: readonly CapabilityRef[];
  readonly grantedScopes: readonly string[];
  /** The operator's word on single tools, by the name the agent sees. */
  readonly toolPolicies: Readonly<Record<string, ToolPolicy>>;
  readonly limits: RunLimits;
  readonly approvalExpiry: ApprovalExpiry;
  readonly mayRequestScopes: boolean;
  readonly allowNativeTools: boolean;
  readonly provider?: string;
  readonly documentationUrl?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An agent with everything but the named parts at its default: for single calls, tests and examples. */
export function agentSpec(parts: Partial<AgentSpec> & Pick<AgentSpec, "name">): AgentSpec {
  return {
    id: "unsaved",
    description: "",
    version: 1,
    systemPrompt: "",
    harness: "native",
    capabilities: [],
    grantedScopes: [],
    toolPolicies: {},
    limits: {},
    approvalExpiry: { policy: "wait" },
    mayRequestScopes: false,
    allowNativeTools: false,
    metadata: {},
    ...parts,
  };
}
