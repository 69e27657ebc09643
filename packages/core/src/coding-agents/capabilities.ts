/**
 * What a coding agent can do: the seed's manifest, its field names unchanged.
 *
 * Additions: `supportsACP`, `supportsApprovalEdits`, `reportsUsage`, `reportsCost`, and `verified`, which says per group of
 * fields how we know and since which version. A manifest is frozen; `effective` is the manifest merged with a probe's findings.
 */
import type { AgentName } from "./agent-name.ts";

export type ThinkingEffortLevel = "low" | "medium" | "high" | "max";
export type ApprovalMode = "yolo" | "prompt" | "deny";
export type AgentPlatform = "darwin" | "linux" | "win32";
export type AuthMethod = "api-key" | "oauth" | "github-token";

export const THINKING_EFFORT_LEVELS: readonly ThinkingEffortLevel[] = ["low", "medium", "high", "max"];
export const APPROVAL_MODES: readonly ApprovalMode[] = ["yolo", "prompt", "deny"];

/** The structural kind of a plugin. */
export type PluginFormat =
  | "npm-package"
  | "skill-file"
  | "skill-directory"
  | "extension-ts"
  | "channel-plugin"
  | "mcp-server";

/** Where plugins come from. */
export interface PluginRegistry {
  readonly name: string;
  readonly url: string;
  /** Whether a program can search it. */
  readonly searchable: boolean;
}

/** One way to install an agent. `all` means darwin, linux and win32. */
export interface InstallMethod {
  readonly platform: AgentPlatform | "all";
  readonly type: "npm" | "brew" | "gh-extension" | "curl" | "winget" | "scoop" | "manual" | "pip" | "nix";
  readonly command: string;
  readonly notes?: string;
  /** A command that checks whether a prerequisite is installed, such as `gh --version`. */
  readonly prerequisiteCheck?: string;
}

/** The groups of fields, in the seed's order; each is verified as a whole. */
export const CAPABILITY_GROUPS = [
  "session",
  "streaming",
  "tools",
  "thinking",
  "output",
  "skills",
  "subagents",
  "interaction",
  "multimodal",
  "plugins",
  "process",
  "auth",
  "install",
] as const;
export type CapabilityGroup = (typeof CAPABILITY_GROUPS)[number];

/** How a group was verified: the version, the date, and whether the binary was run or its documentation was read. */
export interface Verification {
  readonly version: string;
  /** ISO 8601 date. */
  readonly date: string;
  readonly by: "run" | "docs";
}

export interface CodingAgentCapabilities {
  readonly agent: AgentName;

  // Session
  readonly canResume: boolean;
  readonly canFork: boolean;
  /** Several turns within one run. */
  readonly supportsMultiTurn: boolean;
  readonly sessionPersistence: "none" | "file" | "sqlite" | "in-memory";

  // Streaming
  readonly supportsTextStreaming: boolean;
  readonly supportsToolCallStreaming: boolean;
  readonly supportsThinkingStreaming: boolean;

  // Tool calling
  readonly supportsNativeTools: boolean;
  readonly supportsMCP: boolean;
  readonly supportsParallelToolCalls: boolean;
  /** Whether tools require approval by default. */
  readonly requiresToolApproval: boolean;
  readonly approvalModes: readonly ApprovalMode[];
  /** Whether an approval can carry changed arguments. If not, the call is denied and the model is asked to make the new one. */
  readonly supportsApprovalEdits: boolean;

  // Thinking
  readonly supportsThinking: boolean;
  readonly thinkingEffortLevels: readonly ThinkingEffortLevel[];
  readonly supportsThinkingBudgetTokens: boolean;

  // Output
  readonly supportsJsonMode: boolean;
  readonly supportsStructuredOutput: boolean;
  /** When token counts are available: during the run, at its end, or never. */
  readonly reportsUsage: "live" | "end" | "never";
  /** Whether the program reports costs itself; if not, they are computed from usage and the price list. */
  readonly reportsCost: boolean;

  // Skills and agent documents
  readonly supportsSkills: boolean;
  readonly supportsAgentsMd: boolean;
  readonly skillsFormat: "file" | "directory" | "npm-package" | null;

  // Subagents and parallel work
  readonly supportsSubagentDispatch: boolean;
  readonly supportsParallelExecution: boolean;
  readonly maxParallelTasks?: number;

  // Interaction
  readonly supportsInteractiveMode: boolean;
  /** Whether text can be injected into a running run. */
  readonly supportsStdinInjection: boolean;
  /** Whether the binary itself speaks the Agent Client Protocol. */
  readonly supportsACP: boolean;

  // Multimodal
  readonly supportsImageInput: boolean;
  readonly supportsImageOutput: boolean;
  readonly supportsFileAttachments: boolean;

  // Plugins
  readonly supportsPlugins: boolean;
  readonly pluginFormats: readonly PluginFormat[];
  readonly pluginInstallCmd?: string;
  readonly pluginListCmd?: string;
  readonly pluginUninstallCmd?: string;
  readonly pluginMarketplaceUrl?: string;
  readonly pluginSearchCmd?: string;
  readonly pluginRegistries: readonly PluginRegistry[];

  // Process
  readonly supportedPlatforms: readonly AgentPlatform[];
  readonly requiresGitRepo: boolean;
  readonly requiresPty: boolean;

  // Authentication
  readonly authMethods: readonly AuthMethod[];
  /** Where tokens or keys are stored, relative to the home folder (`~/`). */
  readonly authFiles: readonly string[];

  // Installation
  readonly installMethods: readonly InstallMethod[];

  readonly verified: Readonly<Record<CapabilityGroup, Verification>>;
}

/** One way to drive a program, and how it differs from the agent's own fields. */
export interface AgentTransport {
  /** Such as `app-server`; the value of `RunOptions.transport`. */
  readonly name: string;
  /** The command, for people. */
  readonly command: string;
  /** When a run takes it, for people. */
  readonly when: string;
  readonly differs: Readonly<Partial<Omit<CodingAgentCapabilities, "agent" | "verified">>>;
}

/** What an agent can do over one transport. */
export const overTransport = <T extends CodingAgentCapabilities>(
  capabilities: T,
  transport: AgentTransport | undefined,
): T => (transport ? { ...capabilities, ...transport.differs } : capabilities);

/** A manifest merged with a probe's findings. A probe's finding overrides whatever a model claims. */
export interface EffectiveCapabilities extends CodingAgentCapabilities {
  readonly observed: Readonly<Partial<Record<keyof CodingAgentCapabilities, boolean>>>;
}
