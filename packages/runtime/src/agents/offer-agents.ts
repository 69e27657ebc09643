/**
 * Agents that others list as capabilities, `agent.<id>`: registered, in their current form, when an agent that lists one is
 * composed. Others are not registered, so that the catalog contains no agents that nobody delegates to.
 */
import type { AgentSpec, Capability, CapabilityRef, CapabilityRegistry, Result } from "@capstan/core";

const OF_AGENT = /^agent\.([0-9a-f-]{36})$/;

export interface OfferAgentsParts {
  readonly agents: { get(id: string): Promise<Result<AgentSpec>> };
  readonly registry: CapabilityRegistry;
  readonly capabilityOf: (agent: AgentSpec) => Capability;
}

export type OfferAgents = (refs: readonly CapabilityRef[]) => Promise<void>;

export function offerAgents({ agents, registry, capabilityOf }: OfferAgentsParts): OfferAgents {
  return async (refs) => {
    for (const { id } of refs) {
      const agentId = OF_AGENT.exec(id)?.[1];
      if (agentId === undefined) continue;
      const agent = await agents.get(agentId);
      if (!agent.ok) registry.remove(id);
      else if (!isCurrent(registry, id, agent.value)) registry.replace(capabilityOf(agent.value));
    }
  };
}

/** Replacing a capability recomposes every agent, so only real changes count. */
function isCurrent(registry: CapabilityRegistry, id: string, { version }: AgentSpec): boolean {
  const offered = registry.has(id) ? registry.get(id) : undefined;
  return offered?.ok === true && offered.value.version === `${version}.0.0`;
}
