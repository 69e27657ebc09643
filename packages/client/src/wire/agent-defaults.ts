/** An agent's defaults in API form: core's own, and null where core leaves a field out. Without zod, for browser pages. */
import { AGENT_DEFAULTS } from "@capstan/core/internal";
import type { AgentFields } from "./agents.ts";
import { snakeKeys } from "./spelling.ts";

/** A new copy each time, so that a form can modify it. */
export const agentDefaults = (): Omit<AgentFields, "name"> => ({
  model: null,
  provider: null,
  documentation_url: null,
  release: null,
  thinking_effort: null,
  thinking_budget: null,
  folder: null,
  triggers_follow: null,
  ...structuredClone(snakeKeys(AGENT_DEFAULTS)),
});
