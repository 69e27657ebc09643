/** Every capability the server knows, by id. In memory and the single source of truth; the database only stores references. */
import type { Capability } from "./capability.ts";
import { fail } from "./failures/fail.ts";
import { nearest } from "./nearest.ts";
import { ok, type Result } from "./result.ts";
import type { Schema } from "./schema.ts";
import { isSemver } from "./semver.ts";

const ID = /^[a-z0-9_.-]{1,50}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export class CapabilityRegistry {
  readonly #byId = new Map<string, Capability>();
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

  /** Replaces a registered capability with a new version. */
  replace(capability: Capability): Result<Capability> {
    const checked = checkCapability(capability);
    if (!checked.ok) return checked;
    this.#byId.set(capability.id, capability);
    this.#notifyChange();
    return ok(capability);
  }

  remove(id: string): boolean {
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
      : fail("capability_unknown", { id, nearest: nearest(id, this.#byId.keys()) });
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

/** For those who have nothing to say when it is not there. */
export function findCapability(
  registry: Pick<CapabilityRegistry, "get" | "has">,
  id: string,
): Capability | undefined {
  const found = registry.has(id) ? registry.get(id) : undefined;
  return found?.ok ? found.value : undefined;
}
