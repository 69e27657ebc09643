/** The ten coding agents that ship with an adapter, and the wider set of names that users may register. */

export const BUILT_IN_AGENT_NAMES = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "opencode",
  "pi",
  "omp",
  "openclaw",
  "hermes",
] as const;

export type BuiltInAgentName = (typeof BUILT_IN_AGENT_NAMES)[number];

/** A built-in name (completed by editors), the name of a registered adapter, or `native`: Capstan's own loop. */
export type AgentName = BuiltInAgentName | (string & {});

/** The name of Capstan's own loop in the model registry. */
export const NATIVE_AGENT = "native";

export const isBuiltInAgent = (name: string): name is BuiltInAgentName =>
  (BUILT_IN_AGENT_NAMES as readonly string[]).includes(name);
