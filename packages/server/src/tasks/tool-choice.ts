/**
 * Which of a capability's tools serves a task: an imported API has more than a thousand. They are ranked like capabilities,
 * over an index that is made at the first task and kept as long as the capability.
 */
import {
  type Capability,
  type CapabilityRegistry,
  createRouteIndex,
  type Embed,
  type RouteIndex,
  rank,
  toolDocument,
} from "@capstan/core";

export type ToolChooser = (task: string, capability: Capability) => string | undefined;

/** The capability may be shown with fewer tools than it has: only those take part. */
export function openToolChooser(registry: CapabilityRegistry, embed: () => Embed): ToolChooser {
  const indexes = new WeakMap<Capability, RouteIndex>();
  const indexOf = (capability: Capability): RouteIndex => {
    const known = indexes.get(capability);
    if (known) return known;
    const index = createRouteIndex({ embed: embed() });
    for (const tool of capability.tools) index.add(toolDocument(tool));
    indexes.set(capability, index);
    return index;
  };
  return (task, { id, tools }) => {
    const found = registry.get(id);
    if (!found.ok) return undefined;
    const open = new Set(tools.map(({ name }) => name));
    const { matches, rejected = [] } = rank(task, indexOf(found.value), {
      topK: 1,
      rejected: true,
      visible: (name) => open.has(name),
    });
    return (matches[0] ?? rejected[0])?.id; // the capability is chosen already, so even little evidence decides
  };
}
