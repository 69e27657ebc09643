/** Puts an agent's capabilities on the versions that it had earlier, where a newer one is registered and they are still kept. */
import type { CapabilityRef, CapabilityRegistry } from "@capstan/core";

export const onKeptVersions = (
  refs: readonly CapabilityRef[],
  versions: Readonly<Record<string, string>>,
  registry: Pick<CapabilityRegistry, "versionsOf">,
): CapabilityRef[] =>
  refs.map((ref) => {
    const version = versions[ref.id];
    const [registered, ...kept] = registry.versionsOf(ref.id);
    const isKept = registered?.version !== version && kept.some((each) => each.version === version);
    return isKept && version !== undefined ? { ...ref, version } : ref;
  });
