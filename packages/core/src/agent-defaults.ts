/** What an agent is when nothing is said, for files, servers and forms. Apart from the file's schema, so that a page can have it without zod. */
import type { AgentFields } from "./agent-file.ts";

export const AGENT_DEFAULTS = {
  description: "",
  system_prompt: "",
  model: null,
  harness: "native",
  capabilities: [],
  granted_scopes: [],
  tool_policies: {},
  limits: {},
  approval_expiry: { policy: "wait" },
  may_request_scopes: false,
  allow_native_tools: false,
  provider: null,
  documentation_url: null,
  metadata: {},
} satisfies Readonly<Omit<AgentFields, "name">>;
