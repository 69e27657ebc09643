/** Which agents would no longer compose after a capability is replaced or removed, and why. Nothing is changed by asking. */
import { type AgentSpec, type Capability, CapabilityRegistry, compose, type Result } from "@capstan/core";
import type { AgentStore } from "./agent-store.ts";

export interface BrokenAgent {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

/** The capability as it would be; without one it is removed. */
export interface CapabilityChange {
  readonly id: string;
  readonly capability?: Capability;
}

export async function agentsBrokenBy(
  { agents, registry }: { readonly agents: AgentStore; readonly registry: CapabilityRegistry },
  change: CapabilityChange,
): Promise<BrokenAgent[]> {
  const changed = registryWith(registry, change);
  const broken: BrokenAgent[] = [];
  for (const agent of await agentsUsing(agents, dependentsOf(registry, change.id))) {
    const after = composed(agent, changed);
    if (!after.ok && composed(agent, registry).ok)
      broken.push({ id: agent.id, name: agent.name, why: after.failure.message });
  }
  return broken;
}

/** The registry after the change. */
export function registryWith(registry: CapabilityRegistry, { id, capability }: CapabilityChange) {
  const others = registry.list().filter((each) => each.id !== id);
  return CapabilityRegistry.of(capability ? [...others, capability] : others);
}

/** Other agents are left out: they enter the registry only when an agent that lists them is composed. */
function composed(agent: AgentSpec, registry: CapabilityRegistry): Result<unknown> {
  const capabilities = agent.capabilities.filter(({ id }) => !id.startsWith("agent."));
  return compose({ ...agent, capabilities }, registry, { scopes: agent.grantedScopes });
}

/** The capability, and those that need it, directly or by others. */
function dependentsOf(registry: CapabilityRegistry, id: string): Set<string> {
  const found = new Set([id]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { id: other, dependencies } of registry.list())
      if (dependencies.some((dependency) => found.has(dependency))) found.add(other);
  }
  return found;
}

async function agentsUsing(agents: AgentStore, capabilityIds: ReadonlySet<string>): Promise<AgentSpec[]> {
  const ids = new Set<string>();
  for (const id of capabilityIds) for (const agent of await agents.using(id)) ids.add(agent.id);
  const found = await Promise.all([...ids].map((id) => agents.get(id)));
  return found.flatMap((agent) => (agent.ok ? [agent.value] : []));
}
