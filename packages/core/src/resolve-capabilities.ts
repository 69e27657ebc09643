/** Resolves an agent's list to capabilities in composing order: each validated, configured, and after its dependencies. */
import type { CapabilityRef } from "./agent.ts";
import type { Capability } from "./capability.ts";
import { fail } from "./failures/fail.ts";
import type { CapabilityRegistry } from "./registry.ts";
import { ok, type Result } from "./result.ts";
import type { ResolvedCapability } from "./runtime-agent.ts";
import { satisfies } from "./semver.ts";

export function resolveCapabilities(
  refs: readonly CapabilityRef[],
  registry: CapabilityRegistry,
): Result<ResolvedCapability[]> {
  const listed = new Map<string, CapabilityRef>();
  for (const ref of refs) {
    if (listed.has(ref.id)) return fail("capability_repeated", { id: ref.id });
    listed.set(ref.id, ref);
  }
  const walk = { registry, listed, done: new Map<string, ResolvedCapability>() };
  for (const { id } of refs) {
    const visited = visit({ id }, [], walk);
    if (!visited.ok) return visited;
  }
  return ok([...walk.done.values()]);
}

interface Walk {
  readonly registry: CapabilityRegistry;
  readonly listed: ReadonlyMap<string, CapabilityRef>;
  /** In composing order: a map keeps insertion order. */
  readonly done: Map<string, ResolvedCapability>;
}

function visit(needed: CapabilityRef, path: readonly string[], walk: Walk): Result<true> {
  const { id } = needed;
  const done = walk.done.get(id);
  if (done) return walk.listed.has(id) ? ok(true) : checkSame(done.capability, needed, walk);
  if (path.includes(id)) return fail("capability_cycle", { path: [...path.slice(path.indexOf(id)), id] });
  const ref = walk.listed.get(id) ?? needed;
  const found = walk.registry.resolve(ref);
  if (!found.ok) return found;
  for (const dependency of neededBy(found.value)) {
    const visited = visit(dependency, [...path, id], walk);
    if (!visited.ok) return visited;
  }
  const requiredBy = walk.listed.has(id) ? undefined : path.at(-1);
  const resolved = resolveOne(found.value, ref, requiredBy);
  if (!resolved.ok) return resolved;
  walk.done.set(id, resolved.value);
  return ok(true);
}

const neededBy = ({ dependencies, bundledWith, version }: Capability): CapabilityRef[] =>
  dependencies.map((id) => (id === bundledWith ? { id, version } : { id }));

/** Two skills of one package in two versions: one command cannot be both. */
function checkSame(
  { version }: Capability,
  { id, version: wanted }: CapabilityRef,
  walk: Walk,
): Result<true> {
  if (wanted === undefined || satisfies(version, wanted)) return ok(true);
  const kept = walk.registry.versionsOf(id).slice(1);
  return fail("capability_version_mismatch", {
    id,
    wanted,
    registered: version,
    kept: kept.map((each) => each.version),
  });
}

function resolveOne(
  capability: Capability,
  ref: CapabilityRef,
  requiredBy: string | undefined,
): Result<ResolvedCapability> {
  if (capability.status === "coming_soon") return fail("capability_coming_soon", { id: capability.id });
  const config = parseConfig(capability, ref.config);
  if (!config.ok) return config;
  return ok({
    capability,
    config: config.value,
    prefix: ref.prefix ?? "",
    ...(requiredBy !== undefined && { requiredBy }),
  });
}

function parseConfig({ id, config: schema }: Capability, config: unknown): Result<unknown> {
  if (schema === undefined) {
    return config === undefined || config === null || isEmpty(config)
      ? ok({})
      : fail("capability_config_invalid", { id, where: "this capability has no config" });
  }
  const parsed = schema.parse(config ?? {});
  return parsed.ok ? ok(parsed.value) : fail("capability_config_invalid", { id, where: parsed.where });
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
