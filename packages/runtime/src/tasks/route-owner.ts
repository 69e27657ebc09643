/**
 * Finds the capability behind one of our own routes (`/api/...`). Several may share a route; their constant fields
 * distinguish them.
 */
import { type Capability, fail, ok, type Result } from "@capstan/core";

export interface OwnCall {
  readonly method: string;
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function servingRoute(capabilities: readonly Capability[], { method, path, input }: OwnCall) {
  const serving = capabilities.filter(({ routing }) => routing?.route === path && routing.method === method);
  const owner = serving.find((candidate) => constantsMatch(candidate, input));
  return { serving, owner: owner ?? (serving.length === 1 ? serving[0] : undefined) };
}

const constantsMatch = ({ routing }: Capability, input: OwnCall["input"]): boolean =>
  Object.entries(routing?.payload ?? {}).every(([name, value]) => input[name] === value);

/** A capability that names such a route and has no tool uses the tool behind it, under its own name and rights. */
export function withOwnRoute(capability: Capability, known: readonly Capability[]): Result<Capability> {
  const { id, tools, routing } = capability;
  if (tools.length > 0 || !routing?.route?.startsWith("/api/")) return ok(capability);
  const { route: path, method = "POST", payload: input = {} } = routing;
  const { owner } = servingRoute(known, { method, path, input });
  const tool = owner?.tools[0];
  if (!owner || !tool) return fail("route_unknown", { method, path });
  const name = id.replaceAll(/[^\w-]/g, "_");
  return ok({ ...capability, tools: [{ ...tool, name, storedUnder: tool.storedUnder ?? owner.id }] });
}
