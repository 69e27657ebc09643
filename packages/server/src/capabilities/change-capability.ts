/**
 * Registers or removes a capability over the API. With `force`, it is done even if agents break, and the response
 * names them.
 */
import { type Capability, type CapabilityRegistry, fail, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  type BrokenAgent,
  type CapabilityChange,
  type CapabilityDocuments,
  checkChanges,
  type Packages,
} from "@capstan/runtime";

export interface ChangeParts {
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly documents: CapabilityDocuments;
  readonly packages: Pick<Packages, "versions" | "broughtWith" | "removeVersion">;
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
  const { id } = read.value;
  const change = { id, capability: read.value, versions: parts.registry.versionsOf(id) };
  const checked = await checkChanges(parts, [change], { force });
  if (!checked.ok) return checked;
  const saved = await parts.documents.put(document, by);
  return saved.ok ? ok({ ...saved.value, broken: checked.value }) : saved;
}

export async function removeDocument(
  parts: ChangeParts,
  id: string,
  { force }: { readonly force: boolean },
): Promise<Result<readonly BrokenAgent[]>> {
  const checked = await checkChanges(parts, [{ id }], { force });
  if (!checked.ok) return checked;
  const gone = await parts.documents.remove(id);
  return gone.ok ? checked : gone;
}

/** Refused while agents stay on it, unless forced. */
export async function removeVersion(
  parts: ChangeParts,
  id: string,
  version: string,
  { force }: { readonly force: boolean },
): Promise<Result<readonly BrokenAgent[]>> {
  const [capability] = parts.registry.versionsOf(id);
  if (!capability) return fail("not_found", { what: "saved capability", id });
  const together = new Set([id, ...parts.packages.broughtWith(id)]);
  const changes = [...together].flatMap((each) => withoutVersion(parts.registry, each, version));
  const checked = await checkChanges(parts, changes, { force });
  if (!checked.ok) return checked;
  const isPackage = (await parts.packages.versions(id)).length > 0;
  const gone = await (isPackage && version !== capability.version
    ? parts.packages.removeVersion(id, version)
    : parts.documents.removeVersion(id, version));
  return gone.ok ? checked : gone;
}

function withoutVersion(registry: CapabilityRegistry, id: string, version: string): CapabilityChange[] {
  const [capability, ...kept] = registry.versionsOf(id);
  return capability ? [{ id, capability, versions: kept.filter((each) => each.version !== version) }] : [];
}
