/** An anonymous agent with one capability, for direct tool calls. */
import { type AgentSpec, agentSpec } from "@capstan/core";
import { EVERY_SCOPE } from "@capstan/core/internal";

export const singleCapability = (id: string, config: unknown): AgentSpec =>
  agentSpec({
    name: "single call",
    capabilities: [{ id, ...(config !== undefined && config !== null && { config }) }],
    grantedScopes: [EVERY_SCOPE],
  });
