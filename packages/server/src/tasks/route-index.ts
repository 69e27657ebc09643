/** The router's index, kept in step with the registry: one capability added or removed changes its own entries alone. */
import {
  type Capability,
  type CapabilityRegistry,
  createRouteIndex,
  type Embed,
  type RouteIndex,
  routeDocument,
} from "@capstan/core";

export function keptRouteIndex(registry: CapabilityRegistry, embed: Embed | undefined): RouteIndex {
  const index = createRouteIndex({ embed });
  const indexed = new Map<string, Capability>();
  const update = () => {
    const now = new Map(registry.list().map((capability) => [capability.id, capability]));
    for (const id of indexed.keys()) {
      if (now.has(id)) continue;
      index.remove(id);
      indexed.delete(id);
    }
    for (const [id, capability] of now) {
      if (indexed.get(id) === capability || capability.status === "coming_soon") continue;
      index.add(routeDocument(capability));
      indexed.set(id, capability);
    }
  };
  update();
  registry.onChange(update);
  return index;
}
