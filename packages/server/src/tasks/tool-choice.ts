/**
 * Which of a capability's tools serves a task: an imported API has more than a thousand. They are ranked like capabilities,
 * over an index that is made at the first task and kept as long as the capability.
 */
import { type Capability, type CapabilityRegistry, rank, toolDocument } from "@capstan/core";
import type { RouteTier, TieredIndex } from "./route-tier.ts";

export type ToolChooser = (task: string, capability: Capability) => string | undefined;

/** The capability may be shown with fewer tools than it has: only those take part. */
export function openToolChooser(registry: CapabilityRegistry, tier: RouteTier): ToolChooser {
  const indexes = new WeakMap<Capability, TieredIndex>();
  const indexOf = (capability: Capability): TieredIndex => {
    const known = indexes.get(capability);
    if (known) return known;
    const index = tier.openIndex();
    for (const tool of capability.tools) index.add(toolDocument(tool));
    indexes.set(capability, index);
    return index;
  };
  return (task, { id, tools }) => {
    const found = registry.get(id);
    if (!found.ok) return undefined;
    const open = new Set(tools.map(({ name }) => name));
    const { matches, rejected = [] } = rank(task, indexOf(found.value).current(), {
      topK: 1,
      rejected: true,
      visible: (name) => open.has(name),
    });
    return (matches[0] ?? rejected[0])?.id; // the capability is chosen already, so even little evidence decides
  };
}
