/** The seed's section 12 as data, for the test that every difference from it is documented. Fields in the order of the interface. */

import type { CodingAgentCapabilities } from "@capstan/core/internal";

type Profile = Partial<CodingAgentCapabilities>;

const ALL_MODES = { approvalModes: ["yolo", "prompt", "deny"] } as const;
const FOUR_LEVELS = { thinkingEffortLevels: ["low", "medium", "high", "max"] } as const;

const profile = (
  [canResume, canFork, text, tool, thinking]: readonly boolean[],
  [mcp, levels, budget, json, schema]: readonly boolean[],
  [skills, agentsMd, subagents, stdin, image, imageOut, file]: readonly boolean[],
  more: Profile,
): Profile =>
  ({
    canResume,
    canFork,
    supportsMultiTurn: true,
    supportsTextStreaming: text,
    supportsToolCallStreaming: tool,
    supportsThinkingStreaming: thinking,
    supportsNativeTools: true,
    supportsMCP: mcp,
    supportsParallelToolCalls: true,
    requiresToolApproval: true,
    ...ALL_MODES,
    supportsThinking: levels,
    ...(levels ? FOUR_LEVELS : { thinkingEffortLevels: [] }),
    supportsThinkingBudgetTokens: budget,
    supportsJsonMode: json,
    supportsStructuredOutput: schema,
    supportsSkills: skills,
    supportsAgentsMd: agentsMd,
    supportsSubagentDispatch: subagents,
    supportsParallelExecution: subagents,
    supportsInteractiveMode: true,
    supportsStdinInjection: stdin,
    supportsImageInput: image,
    supportsImageOutput: imageOut,
    supportsFileAttachments: file,
    supportedPlatforms: ["darwin", "linux", "win32"],
    requiresGitRepo: false,
    requiresPty: false,
    ...more,
  }) as Profile;

const T = true;
const F = false;

export const SEED_PROFILES: Readonly<Record<string, Profile>> = {
  claude: profile([T, T, T, T, T], [T, T, T, T, T], [T, T, T, T, T, F, T], {
    sessionPersistence: "file",
    skillsFormat: "directory",
    supportsPlugins: true,
    pluginFormats: ["skill-directory", "mcp-server"],
    authMethods: ["api-key", "oauth"],
    authFiles: ["~/.claude/.credentials"],
    supportsACP: false,
  }),
  codex: profile([F, F, T, T, T], [T, T, F, T, F], [F, F, F, T, T, F, F], {
    sessionPersistence: "file",
    thinkingEffortLevels: ["low", "medium", "high"],
    skillsFormat: null,
    supportsPlugins: false,
    pluginFormats: [],
    authMethods: ["api-key"],
    authFiles: ["~/.codex/auth.json"],
    supportsACP: false,
  }),
  gemini: profile([F, F, T, T, T], [T, T, T, F, F], [F, F, F, T, T, T, T], {
    sessionPersistence: "file",
    skillsFormat: null,
    supportsPlugins: false,
    pluginFormats: [],
    authMethods: ["api-key", "oauth"],
    authFiles: ["~/.config/gemini/credentials.json"],
    supportsACP: false,
  }),
  copilot: profile([F, F, T, F, F], [F, F, F, F, F], [F, F, F, T, F, F, F], {
    sessionPersistence: "file",
    supportsNativeTools: false,
    supportsParallelToolCalls: false,
    requiresToolApproval: false,
    approvalModes: ["prompt"],
    skillsFormat: null,
    supportsPlugins: false,
    pluginFormats: [],
    authMethods: ["oauth", "github-token"],
    authFiles: ["~/.config/github-copilot/hosts.json"],
    supportsACP: false,
  }),
  cursor: profile([F, F, T, F, F], [T, T, T, F, F], [F, F, F, F, T, F, T], {
    sessionPersistence: "sqlite",
    skillsFormat: null,
    supportsPlugins: true,
    pluginFormats: ["extension-ts", "mcp-server"],
    requiresPty: true,
    authMethods: ["oauth"],
    authFiles: ["~/.cursor/auth.json"],
    supportsACP: false,
  }),
  opencode: profile([T, T, T, T, T], [T, T, T, T, T], [T, T, T, T, T, F, T], {
    sessionPersistence: "sqlite",
    skillsFormat: "file",
    supportsPlugins: true,
    pluginFormats: ["npm-package", "skill-file", "mcp-server"],
    authMethods: ["api-key"],
    authFiles: ["~/.config/opencode/auth.json"],
    supportsACP: true,
  }),
  pi: profile([T, T, T, T, T], [F, T, T, F, F], [T, F, T, T, T, F, F], {
    sessionPersistence: "file",
    skillsFormat: "file",
    supportsPlugins: true,
    pluginFormats: ["npm-package", "skill-file"],
    authMethods: ["api-key"],
    authFiles: ["~/.pi/agent/auth.json"],
    supportsACP: true,
  }),
  omp: profile([T, T, T, T, T], [F, T, T, F, F], [T, F, T, T, T, F, F], {
    sessionPersistence: "file",
    skillsFormat: "file",
    supportsPlugins: true,
    pluginFormats: ["npm-package", "skill-file"],
    authMethods: ["api-key"],
    authFiles: ["~/.omp/agent/auth.json"],
    supportsACP: true,
  }),
  openclaw: profile([F, F, T, F, F], [T, T, T, T, F], [T, T, F, T, T, F, T], {
    sessionPersistence: "file",
    skillsFormat: "file",
    supportsPlugins: true,
    pluginFormats: ["npm-package", "skill-file", "channel-plugin"],
    authMethods: ["api-key"],
    authFiles: ["~/.openclaw/auth.json"],
    supportsACP: false,
  }),
  hermes: profile([T, F, T, T, F], [T, F, F, F, F], [T, F, F, T, F, F, F], {
    sessionPersistence: "sqlite",
    skillsFormat: "directory",
    supportsPlugins: true,
    pluginFormats: ["skill-file", "skill-directory", "mcp-server"],
    supportedPlatforms: ["darwin", "linux"],
    authMethods: ["api-key", "oauth"],
    authFiles: ["~/.hermes/.env", "~/.hermes/cli-config.yaml"],
    supportsACP: true,
  }),
};
