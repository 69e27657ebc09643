/** The name of a coding agent: of a built-in one, of a registered adapter, or `native`: Capstan's own loop. */
export type AgentName = string;

/** The name under which the model registry knows the models of Capstan's own loop. */
export const NATIVE_AGENT = "native";
