/** An agent as it is declared: who it is, what it may do, and how far a run of it may go. */
import type { ThinkingEffortLevel } from "./coding-agents/capabilities.ts";
import type { ToolPolicy } from "./tool.ts";

/** A capability in an agent's list. The list's order is the priority. */
export interface CapabilityRef {
  readonly id: string;
  readonly config?: unknown;
  /** Put before each tool name of this capability, to end a conflict. */
  readonly prefix?: string | undefined;
  /** A pinned semver version; another registered one is refused. */
  readonly version?: string | undefined;
}

/** Where a run ends by itself. Absent = the server's default. */
export interface RunLimits {
  readonly maxSteps?: number | undefined;
  readonly maxSeconds?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxCostUsd?: number | undefined;
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
  /** `provider/model`, or a model of the harness by its own name; absent = the default of whoever answers. */
  readonly model?: string;
  /** How hard the model thinks unless a message says otherwise. */
  readonly thinkingEffort?: ThinkingEffortLevel;
  /** Tokens for thinking, for models of a harness that take a number. */
  readonly thinkingBudget?: number;
  /** `native`, or the name of a coding agent. */
  readonly harness: string;
  readonly capabilities: readonly CapabilityRef[];
  readonly grantedScopes: readonly string[];
  /** The operator's word on single tools, by the name the agent sees. */
  readonly toolPolicies: Readonly<Record<string, ToolPolicy>>;
  readonly limits: RunLimits;
  readonly approvalExpiry: ApprovalExpiry;
  readonly mayRequestScopes: boolean;
  /** What a run does when the client that started it disconnects: it continues, or is cancelled after a grace period. */
  readonly onDisconnect: "continue" | "cancel";
  readonly allowNativeTools: boolean;
  readonly provider?: string;
  readonly documentationUrl?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What an agent is when nothing is said: the one place. On the wire, in files and in forms it is this in snake_case. */
export const AGENT_DEFAULTS = {
  description: "",
  systemPrompt: "",
  harness: "native",
  capabilities: [],
  grantedScopes: [],
  toolPolicies: {},
  limits: {},
  approvalExpiry: { policy: "wait" },
  mayRequestScopes: false,
  onDisconnect: "continue",
  allowNativeTools: false,
  metadata: {},
} satisfies Omit<AgentSpec, "id" | "name" | "version">;

/** An agent with everything but the named parts at its default: for single calls, tests and examples. */
export const agentSpec = (parts: Partial<AgentSpec> & Pick<AgentSpec, "name">): AgentSpec => ({
  id: "unsaved",
  version: 1,
  ...AGENT_DEFAULTS,
  ...parts,
});
