/** The router's index, kept in step with the registry: one capability added or removed changes its own entries alone. */
import { type Capability, type CapabilityRegistry, routeDocument, servesTasks } from "@capstan/core";
import type { TieredIndex } from "./route-tier.ts";

export function keepInStep(index: TieredIndex, registry: CapabilityRegistry): TieredIndex {
  const indexed = new Map<string, Capability>();
  const update = () => {
    const now = new Map(
      registry
        .list()
        .filter(servesTasks)
        .map((capability) => [capability.id, capability]),
    );
    for (const id of indexed.keys()) {
      if (now.has(id)) continue;
      index.remove(id);
      indexed.delete(id);
    }
    for (const [id, capability] of now) {
      if (indexed.get(id) === capability) continue;
      index.add(routeDocument(capability));
      indexed.set(id, capability);
    }
  };
  update();
  registry.onChange(update);
  return index;
}
