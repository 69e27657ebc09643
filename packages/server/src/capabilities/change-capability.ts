/** Registering or removing a capability over the API. By force it is done, and the answer says whom it broke. */
import { type Capability, type CapabilityRegistry, ok, type Result } from "@capstan/core";
import { type AgentStore, type BrokenAgent, type CapabilityDocuments, checkChanges } from "@capstan/runtime";

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
  const checked = await checkChanges(parts, [{ id: read.value.id, capability: read.value }], { force });
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
