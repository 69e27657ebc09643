/** The nameless agent of one capability, for a tool that is called by itself. */
import { type AgentSpec, agentSpec, EVERY_SCOPE } from "@capstan/core";

export const singleCapability = (id: string, config: unknown): AgentSpec =>
  agentSpec({
    name: "single call",
    capabilities: [{ id, ...(config !== undefined && config !== null && { config }) }],
    grantedScopes: [EVERY_SCOPE],
  });
