/** The nameless agent of one capability, for a tool that is called by itself. */
import { type AgentSpec, agentSpec } from "@capstan/core";
import { EVERY_SCOPE } from "@capstan/core/internal";

export const singleCapability = (id: string, config: unknown): AgentSpec =>
  agentSpec({
    name: "single call",
    capabilities: [{ id, ...(config !== undefined && config !== null && { config }) }],
    grantedScopes: [EVERY_SCOPE],
  });
