/**
 * Registering or removing a capability over the API: refused when agents would break, when its version is older than the
 * registered one, or when it could not be used itself. By force it is done, and the answer says whom it broke.
 */
import {
  agentSpec,
  type Capability,
  type CapabilityRegistry,
  compose,
  fail,
  ok,
  type Result,
} from "@capstan/core";
import {
  type AgentStore,
  agentsBrokenBy,
  type BrokenAgent,
  type CapabilityDocuments,
  isOlder,
  registryWith,
} from "@capstan/runtime";

export interface ChangeParts {
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly documents: CapabilityDocuments;
}

export interface ChangedCapability {
  readonly capability: Capability;
  readonly created: boolean;
  readonly broken: readonly BrokenAgent[];
}

export async function registerDocument(
  parts: ChangeParts,
  document: unknown,
  { by, force }: { readonly by: string; readonly force: boolean },
): Promise<Result<ChangedCapability>> {
  const read = parts.documents.read(document);
  if (!read.ok) return read;
  const usable = force ? ok(true) : checkUsable(parts.registry, read.value);
  if (!usable.ok) return usable;
  const broken = await agentsBrokenBy(parts, { id: read.value.id, capability: read.value });
  if (broken.length > 0 && !force) return refuse(read.value.id, broken);
  const saved = await parts.documents.put(document, by);
  return saved.ok ? ok({ ...saved.value, broken }) : saved;
}

export async function removeDocument(
  parts: ChangeParts,
  id: string,
  { force }: { readonly force: boolean },
): Promise<Result<readonly BrokenAgent[]>> {
  const broken = await agentsBrokenBy(parts, { id });
  const names = broken.map(({ name }) => name);
  if (broken.length > 0 && !force) return fail("capability_in_use", { id, agents: names });
  const gone = await parts.documents.remove(id);
  return gone.ok ? ok(broken) : gone;
}

/** Its version is not older, and what it needs is there: a capability that cannot be composed would be of no use. */
function checkUsable(registry: CapabilityRegistry, capability: Capability): Result<unknown> {
  const { id, version } = capability;
  const before = registry.has(id) ? registry.get(id) : undefined;
  if (before?.ok && isOlder(version, before.value.version))
    return fail("capability_older", { id, version, registered: before.value.version });
  const alone = agentSpec({ name: id, capabilities: [{ id }] });
  const composed = compose(alone, registryWith(registry, { id, capability }), { scopes: [] });
  const isMissing =
    !composed.ok && ["capability_unknown", "capability_cycle"].includes(composed.failure.code);
  return isMissing ? composed : ok(true);
}

function refuse(id: string, broken: readonly BrokenAgent[]): Result<never> {
  return fail("capability_breaks", { id, agents: broken.map(({ name, why }) => ({ name, why })) });
}
