/** An agent as declared: identity, permissions, and limits of its runs. */
import type { ThinkingEffortLevel } from "./coding-agents/capabilities.ts";
import type { RevisionLabel } from "./revisions/follows.ts";
import type { ToolPolicy } from "./tool.ts";

/** A capability in an agent's list. The list's order is the priority. */
export interface CapabilityRef {
  readonly id: string;
  readonly config?: unknown;
  /** Prepended to each tool name of this capability, to resolve name conflicts. */
  readonly prefix?: string | undefined;
  /** A pinned semver version: the registered one if it fits, otherwise the newest kept one that does. */
  readonly version?: string | undefined;
}

/** Limits of a run. Absent = the server's default. */
export interface RunLimits {
  readonly maxSteps?: number | undefined;
  readonly maxSeconds?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxCostUsd?: number | undefined;
}

/** What happens to an unanswered approval: it waits, expires as a denial, or goes to someone else. */
export type ApprovalExpiry =
  | { readonly policy: "wait" }
  | { readonly policy: "expire"; readonly afterSeconds: number }
  | { readonly policy: "escalate"; readonly afterSeconds: number; readonly to: string };

/** When and how much of a conversation is summarised, as shares of the model's room for it. */
export interface Compaction {
  readonly enabled: boolean;
  /** Summarised when it fills more than this. */
  readonly at: number;
  /** The share at its end that is kept as it is. */
  readonly keep: number;
}

export interface AgentSpec {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Incremented on every change. */
  readonly version: number;
  readonly systemPrompt: string;
  /** `provider/model`, or a model of the harness by its own name; absent = the default model. */
  readonly model?: string;
  /** Asked in this order when the previous model's provider is down, over quota or too slow. */
  readonly fallbackModels: readonly string[];
  /** Default thinking effort; a message can override it. */
  readonly thinkingEffort?: ThinkingEffortLevel;
  /** Thinking budget in tokens, for harness models that take a number. */
  readonly thinkingBudget?: number;
  /** `native`, or the name of a coding agent. */
  readonly harness: string;
  readonly capabilities: readonly CapabilityRef[];
  readonly grantedScopes: readonly string[];
  /** The operator's policy for single tools, by the name the agent sees. */
  readonly toolPolicies: Readonly<Record<string, ToolPolicy>>;
  readonly limits: RunLimits;
  readonly compaction: Compaction;
  readonly approvalExpiry: ApprovalExpiry;
  readonly mayRequestScopes: boolean;
  /** What a run does when the client that started it disconnects: it continues, or is cancelled after a grace period. */
  readonly onDisconnect: "continue" | "cancel";
  readonly allowNativeTools: boolean;
  /** A git repository of the server's machine that its program works in, on a branch; absent: the session's files. */
  readonly folder?: string;
  readonly provider?: string;
  readonly documentationUrl?: string;
  /** The semantic version set by the author; later changes increment it. */
  readonly release?: string;
  /** Whether a change goes live, or is a draft until it is promoted. */
  readonly savesAs: "live" | "draft";
  /** The revision or label that sessions of triggers use, and so what their channels deliver; absent: the same as other new sessions. */
  readonly triggersFollow?: { readonly revision: number } | { readonly label: RevisionLabel };
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Default values of an agent, defined only here. The API, files and forms use the same in snake_case. */
export const AGENT_DEFAULTS = {
  description: "",
  systemPrompt: "",
  fallbackModels: [],
  harness: "native",
  capabilities: [],
  grantedScopes: [],
  toolPolicies: {},
  limits: {},
  compaction: { enabled: true, at: 0.8, keep: 0.3 },
  approvalExpiry: { policy: "wait" },
  mayRequestScopes: false,
  onDisconnect: "continue",
  allowNativeTools: false,
  savesAs: "live",
  metadata: {},
} satisfies Omit<AgentSpec, "id" | "name" | "version">;

/** An agent with defaults for everything not given: for single calls, tests and examples. */
export const agentSpec = (parts: Partial<AgentSpec> & Pick<AgentSpec, "name">): AgentSpec => ({
  id: "unsaved",
  version: 1,
  ...AGENT_DEFAULTS,
  ...parts,
});
