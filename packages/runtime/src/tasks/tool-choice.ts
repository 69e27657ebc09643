/**
 * Which of a capability's tools serves a task: an imported API has more than a thousand. They are ranked like capabilities,
 * and by method and path, over an index that is created at the first task and kept as long as the capability.
 */

import type { Capability, CapabilityRegistry } from "@capstan/core";
import { type PayloadHints, rankTools, toolDocument } from "@capstan/core/internal";
import type { RouteTier, TieredIndex } from "./route-tier.ts";

export type ToolChooser = (task: string, capability: Capability, hints?: PayloadHints) => string | undefined;

/** The capability may be shown with fewer tools than it has: only those are ranked. */
export function createToolChooser(registry: CapabilityRegistry, tier: RouteTier): ToolChooser {
  const indexes = new WeakMap<Capability, TieredIndex>();
  const indexOf = (capability: Capability): TieredIndex => {
    const known = indexes.get(capability);
    if (known) return known;
    const index = tier.createIndex();
    for (const tool of capability.tools) index.add(toolDocument(tool));
    indexes.set(capability, index);
    return index;
  };
  return (task, { id, tools }, hints) => {
    const found = registry.get(id);
    if (!found.ok) return undefined;
    const open = new Map(tools.map((tool) => [tool.name, tool]));
    return rankTools(task, {
      index: indexOf(found.value).current(),
      toolOf: (name) => open.get(name),
      ...(hints && { hints }),
    })[0]?.name; // the capability is already chosen, so even weak evidence decides
  };
}
