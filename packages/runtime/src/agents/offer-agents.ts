/**
 * Agents that others list as capabilities, `agent.<id>`: registered, in their current form, when an agent that lists one is
 * composed. Others are not registered, so that the catalog contains no agents that nobody delegates to.
 */
import type { AgentSpec, Capability, CapabilityRef, CapabilityRegistry, Result } from "@capstan/core";

const OF_AGENT = /^agent\.([0-9a-f-]{36})$/;
/** The agent behind a capability; undefined for every other capability. */
export const delegateIdOf = (capabilityId: string): string | undefined => OF_AGENT.exec(capabilityId)?.[1];

export interface OfferAgentsParts {
  readonly agents: { get(id: string): Promise<Result<AgentSpec>> };
  readonly registry: CapabilityRegistry;
  /** The semantic version that its clients see. */
  readonly releaseOf: (agent: AgentSpec) => Promise<string>;
  readonly capabilityOf: (agent: AgentSpec, release: string) => Capability;
}

export type OfferAgents = (refs: readonly CapabilityRef[]) => Promise<void>;

export function offerAgents({ agents, registry, releaseOf, capabilityOf }: OfferAgentsParts): OfferAgents {
  /** What was registered last: replacing a capability recomposes every agent, so only real changes are registered. */
  const offered = new Map<string, string>();
  return async (refs) => {
    for (const { id } of refs) {
      const agentId = delegateIdOf(id);
      if (agentId === undefined) continue;
      const agent = await agents.get(agentId);
      if (!agent.ok) {
        registry.remove(id);
        continue;
      }
      const release = await releaseOf(agent.value);
      const state = `${agent.value.version} ${release}`;
      if (registry.has(id) && offered.get(id) === state) continue;
      registry.replace(capabilityOf(agent.value, release));
      offered.set(id, state);
    }
  };
}
