/**
 * Whether capabilities may be replaced or removed: refused when agents would no longer compose, when a version is older
 * than the registered one, or when the new one could not be used itself. Nothing is changed by asking.
 */
import {
  type AgentSpec,
  agentSpec,
  type Capability,
  CapabilityRegistry,
  compose,
  fail,
  ok,
  type Result,
} from "@capstan/core";
import { isOlder } from "../db/store-version.ts";
import type { AgentStore } from "./agent-store.ts";

export interface BrokenAgent {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

/** The capability after the change; absent: it is removed. */
export interface CapabilityChange {
  readonly id: string;
  readonly capability?: Capability;
  /** Its other versions after the change; absent: none. */
  readonly versions?: readonly Capability[];
}

export interface ChangeParts {
  readonly agents: Pick<AgentStore, "get" | "using">;
  readonly registry: CapabilityRegistry;
}

/** The agents that break, which is refused unless forced. */
export async function checkChanges(
  parts: ChangeParts,
  changes: readonly CapabilityChange[],
  { force }: { readonly force: boolean },
): Promise<Result<readonly BrokenAgent[]>> {
  const changed = registryWith(parts.registry, changes);
  for (const { capability } of changes) {
    const usable = force || !capability ? ok(true) : checkUsable(parts.registry, changed, capability);
    if (!usable.ok) return usable;
  }
  const broken = await agentsBrokenBy(parts, changes, changed);
  return broken.length > 0 && !force ? refuse(changes, broken) : ok(broken);
}

function refuse(changes: readonly CapabilityChange[], broken: readonly BrokenAgent[]): Result<never> {
  const id = changes.map((change) => change.id).join(", ");
  return changes.some(({ capability }) => capability)
    ? fail("capability_breaks", { id, agents: broken.map(({ name, why }) => ({ name, why })) })
    : fail("capability_in_use", { id, agents: broken.map(({ name }) => name) });
}

/** Its version is not older and its dependencies exist: a capability that cannot be composed is useless. */
function checkUsable(
  registry: CapabilityRegistry,
  changed: CapabilityRegistry,
  { id, version }: Capability,
): Result<unknown> {
  const before = registry.has(id) ? registry.get(id) : undefined;
  if (before?.ok && isOlder(version, before.value.version))
    return fail("capability_older", { id, version, registered: before.value.version });
  const composed = compose(agentSpec({ name: id, capabilities: [{ id }] }), changed, { scopes: [] });
  const isMissing =
    !composed.ok && ["capability_unknown", "capability_cycle"].includes(composed.failure.code);
  return isMissing ? composed : ok(true);
}

async function agentsBrokenBy(
  { agents, registry }: ChangeParts,
  changes: readonly CapabilityChange[],
  changed: CapabilityRegistry,
): Promise<BrokenAgent[]> {
  const broken: BrokenAgent[] = [];
  const ids = new Set(changes.flatMap(({ id }) => [...dependentsOf(registry, id)]));
  for (const agent of await agentsUsing(agents, ids)) {
    const after = composed(agent, changed);
    if (!after.ok && composed(agent, registry).ok)
      broken.push({ id: agent.id, name: agent.name, why: after.failure.message });
  }
  return broken;
}

/** The registry after the changes. */
function registryWith(registry: CapabilityRegistry, changes: readonly CapabilityChange[]) {
  const changed = new Set(changes.map(({ id }) => id));
  const others = registry.list().filter(({ id }) => !changed.has(id));
  const after = CapabilityRegistry.of([...others, ...changes.flatMap(({ capability }) => capability ?? [])]);
  for (const { id } of others) after.keepVersions(id, registry.versionsOf(id).slice(1));
  for (const { id, versions = [] } of changes) after.keepVersions(id, versions);
  return after;
}

/** Other agents are left out: they enter the registry only when an agent that lists them is composed. */
function composed(agent: AgentSpec, registry: CapabilityRegistry): Result<unknown> {
  const capabilities = agent.capabilities.filter(({ id }) => !id.startsWith("agent."));
  return compose({ ...agent, capabilities }, registry, { scopes: agent.grantedScopes });
}

/** The capability and everything that depends on it, directly or indirectly. */
function dependentsOf(registry: CapabilityRegistry, id: string): Set<string> {
  const found = new Set([id]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { id: other } of registry.list())
      if (registry.versionsOf(other).some(({ dependencies }) => dependencies.some((each) => found.has(each))))
        found.add(other);
  }
  return found;
}

async function agentsUsing(
  agents: ChangeParts["agents"],
  capabilityIds: ReadonlySet<string>,
): Promise<AgentSpec[]> {
  const ids = new Set<string>();
  for (const id of capabilityIds) for (const agent of await agents.using(id)) ids.add(agent.id);
  const found = await Promise.all([...ids].map((id) => agents.get(id)));
  return found.flatMap((agent) => (agent.ok ? [agent.value] : []));
}
