/**
 * Every capability the server knows, by id. In memory and the single source of truth; the database only stores references.
 * One version of each is registered; others may be kept beside it for agents that pin them.
 */
import type { CapabilityRef } from "./agent.ts";
import type { Capability } from "./capability.ts";
import { fail } from "./failures/fail.ts";
import { nearest } from "./nearest.ts";
import { ok, type Result } from "./result.ts";
import type { Schema } from "./schema.ts";
import { isSemver, newerFirst, satisfies } from "./semver.ts";

const ID = /^[a-z0-9_.-]{1,50}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export class CapabilityRegistry {
  readonly #byId = new Map<string, Capability>();
  /** Versions that are not registered, newest first. */
  readonly #kept = new Map<string, readonly Capability[]>();
  readonly #listeners = new Set<() => void>();

  /** A registry with these capabilities; an invalid or duplicate one is a bug in our code, so it throws. */
  static of(capabilities: Iterable<Capability>): CapabilityRegistry {
    const registry = new CapabilityRegistry();
    for (const capability of capabilities) {
      const registered = registry.register(capability);
      if (!registered.ok) throw new Error(registered.failure.message);
    }
    return registry;
  }

  register(capability: Capability): Result<Capability> {
    const checked = checkCapability(capability);
    if (!checked.ok) return checked;
    if (this.#byId.has(capability.id)) return fail("capability_duplicate", { id: capability.id });
    this.#byId.set(capability.id, capability);
    this.#notifyChange();
    return ok(capability);
  }

  /** Sets a capability's versions besides the registered one; replaces those kept before. */
  keepVersions(id: string, versions: readonly Capability[]): Result<true> {
    for (const capability of versions) {
      const checked = checkCapability(capability);
      if (!checked.ok) return checked;
      if (capability.id !== id) return fail("capability_id_invalid", { id: capability.id });
    }
    if (versions.length === 0 && !this.#kept.has(id)) return ok(true);
    this.#kept.set(id, versions.toSorted(newerFirst));
    this.#notifyChange();
    return ok(true);
  }

  /** All its versions, the registered one first. */
  versionsOf(id: string): readonly Capability[] {
    const registered = this.#byId.get(id);
    if (!registered) return [];
    const kept = this.#kept.get(id) ?? [];
    return [registered, ...kept.filter(({ version }) => version !== registered.version)];
  }

  /** What an agent that lists it gets: the registered version, or the one that it pins. */
  resolve({ id, version: pin }: Pick<CapabilityRef, "id" | "version">): Result<Capability> {
    const registered = this.get(id);
    if (!registered.ok || pin === undefined) return registered;
    const versions = this.versionsOf(id);
    const found = versions.find(({ version }) => satisfies(version, pin));
    return found
      ? ok(found)
      : fail("capability_version_mismatch", {
          id,
          wanted: pin,
          registered: registered.value.version,
          kept: versions.slice(1).map(({ version }) => version),
        });
  }

  /** Replaces a registered capability with a new version. */
  replace(capability: Capability): Result<Capability> {
    const checked = checkCapability(capability);
    if (!checked.ok) return checked;
    this.#byId.set(capability.id, capability);
    this.#notifyChange();
    return ok(capability);
  }

  /** With every version of it. */
  remove(id: string): boolean {
    this.#kept.delete(id);
    const removed = this.#byId.delete(id);
    if (removed) this.#notifyChange();
    return removed;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): Result<Capability> {
    const capability = this.#byId.get(id);
    return capability
      ? ok(capability)
      : fail("capability_unknown", { id, nearest: nearest(id, this.#suggested()) });
  }

  /** An agent that is listed as a capability may be private, so its id is suggested to nobody. */
  #suggested(): string[] {
    return [...this.#byId.keys()].filter((id) => !id.startsWith("agent."));
  }

  /** All, in order of registration. */
  list(): Capability[] {
    return [...this.#byId.values()];
  }

  /** Called after each change; returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notifyChange(): void {
    for (const listener of this.#listeners) listener();
  }
}

function checkCapability({ id, version, tools, config }: Capability): Result<true> {
  if (!ID.test(id)) return fail("capability_id_invalid", { id });
  if (!isSemver(version))
    return fail("input_invalid", { where: `version "${version}" of "${id}" is not semver` });
  if (config?.fault !== undefined)
    return fail("schema_foreign", { tool: "config", capability: id, fault: config.fault });
  const names = new Set<string>();
  for (const { name, input, output } of tools) {
    if (!TOOL_NAME.test(name)) return fail("tool_name_invalid", { name, capability: id });
    if (names.has(name)) return fail("tool_conflict", { tool: name, first: id, second: id });
    names.add(name);
    const fault = schemaFault(input) ?? (output && schemaFault(output));
    if (fault !== undefined) return fail("schema_foreign", { tool: name, capability: id, fault });
  }
  return ok(true);
}

/** Checks only the schema's type, not its content: most JSON Schemas of a catalog are never generated. */
function schemaFault(schema: Partial<Schema>): string | undefined {
  if (typeof schema?.parse !== "function" || !("jsonSchema" in schema)) return "was not made by `defineTool`";
  return schema.fault;
}

/** For callers that do not report a missing one. */
export function findCapability(
  registry: Pick<CapabilityRegistry, "resolve" | "has">,
  ref: Pick<CapabilityRef, "id" | "version">,
): Capability | undefined {
  const found = registry.has(ref.id) ? registry.resolve(ref) : undefined;
  return found?.ok ? found.value : undefined;
}
