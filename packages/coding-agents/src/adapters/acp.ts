/** An adapter for any ACP agent, by its command: `acpAdapter({ name: "acme", command: ["acme", "acp"] })`. */
import type { CodingAgentAdapter, CodingAgentCapabilities } from "@capstan/core/internal";
import { type AcpQuirks, acpReader, isAcp } from "./acp-reader.ts";
import { acpRun } from "./acp-run.ts";
import { textReader } from "./text-reader.ts";

export interface AcpAgent {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly versionArgs?: readonly string[];
  readonly versionPattern?: RegExp;
  /** Environment variables that it needs, such as its key. */
  readonly environment?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
  readonly quirks?: AcpQuirks;
  /** How it differs from what ACP gives every agent. */
  readonly capabilities?: Partial<Omit<CodingAgentCapabilities, "agent" | "verified">>;
}

export function acpAdapter(agent: AcpAgent): CodingAgentAdapter {
  const { name, command, quirks = {}, env = {} } = agent;
  return Object.freeze({
    name,
    capabilities: acpCapabilities(agent),
    commands: [command[0]] as const,
    versionArgs: agent.versionArgs ?? ["--version"],
    versionPattern: agent.versionPattern ?? /(\d+\.\d+\S*)/,
    environment: agent.environment ?? /^$/,
    open: (options, place) => {
      const configOptions = place.model === undefined ? [] : [{ name: "model", value: place.model }];
      return acpRun({ argv: command, env, quirks, configOptions }, options, place);
    },
    read: (sample) => (sample.some(isAcp) ? acpReader(quirks) : textReader()),
  } satisfies CodingAgentAdapter);
}

/** What the protocol specifies for any agent; not verified. */
function acpCapabilities({ name, capabilities = {} }: AcpAgent): CodingAgentCapabilities {
  const unseen = { version: "unknown", date: "1970-01-01", by: "docs" } as const;
  return Object.freeze({
    agent: name,
    canResume: true,
    canFork: false,
    supportsMultiTurn: true,
    sessionPersistence: "none",
    supportsTextStreaming: true,
    supportsToolCallStreaming: false,
    supportsThinkingStreaming: true,
    supportsNativeTools: true,
    supportsMCP: true,
    supportsParallelToolCalls: false,
    requiresToolApproval: true,
    approvalModes: ["yolo", "prompt", "deny"],
    supportsApprovalEdits: false,
    supportsThinking: false,
    thinkingEffortLevels: [],
    supportsThinkingBudgetTokens: false,
    supportsJsonMode: false,
    supportsStructuredOutput: false,
    reportsUsage: "end",
    reportsCost: false,
    supportsSkills: false,
    supportsAgentsMd: false,
    skillsFormat: null,
    supportsSubagentDispatch: false,
    supportsParallelExecution: false,
    supportsInteractiveMode: false,
    supportsStdinInjection: true,
    supportsACP: true,
    supportsImageInput: false,
    supportsImageOutput: false,
    supportsFileAttachments: true,
    supportsPlugins: false,
    pluginFormats: [],
    pluginRegistries: [],
    supportedPlatforms: ["darwin", "linux", "win32"],
    requiresGitRepo: false,
    requiresPty: false,
    authMethods: [],
    authFiles: [],
    installMethods: [],
    ...capabilities,
    verified: {
      session: unseen,
      streaming: unseen,
      tools: unseen,
      thinking: unseen,
      output: unseen,
      skills: unseen,
      subagents: unseen,
      interaction: unseen,
      multimodal: unseen,
      plugins: unseen,
      process: unseen,
      auth: unseen,
      install: unseen,
    },
  } satisfies CodingAgentCapabilities);
}
