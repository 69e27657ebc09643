/** Which capabilities and tools a task may use: those of the named agent, or all that the caller may see and has the scopes for. */
import { type Capability, type CapabilityRegistry, ok, type Result } from "@capstan/core";
import { missingScopes, type TaskRequest } from "@capstan/core/internal";
import type { Composer } from "../agents/composer.ts";
import type { UserStore } from "../users/user-store.ts";
import type { EntryId } from "./route-index.ts";

export interface VisibilityParts {
  readonly registry: CapabilityRegistry;
  readonly composer: Pick<Composer, "showFor" | "knows">;
  readonly users: Pick<UserStore, "get">;
}

export interface Visible {
  readonly sees: (id: string) => boolean;
  /** With only the tools that the caller may call. */
  readonly capabilityOf: (id: string) => Capability | undefined;
}

export async function visibleTo(
  { registry, composer, users }: VisibilityParts,
  { agentId }: TaskRequest,
  email: string,
): Promise<Result<Visible>> {
  const capabilityOf = (id: string) => {
    const found = registry.get(id);
    return found.ok ? found.value : undefined;
  };
  const withTools = (id: string, isVisible: (name: string, scopes: readonly string[]) => boolean) => {
    const found = capabilityOf(id);
    return found && { ...found, tools: found.tools.filter(({ name, scopes }) => isVisible(name, scopes)) };
  };
  if (agentId !== undefined) {
    const composed = await composer.showFor(agentId, email);
    if (!composed.ok) return composed;
    const { tools } = composed.value;
    const ids = new Set(tools.map(({ capabilityId }) => capabilityId));
    const names = new Set(tools.map(({ capabilityId, tool }) => `${capabilityId} ${tool.name}`));
    return ok({
      sees: (id) => ids.has(id),
      capabilityOf: (id) => withTools(id, (name) => names.has(`${id} ${name}`)),
    });
  }
  const { scopes } = await users.get(email);
  const listed = registry.list().map(({ id }) => id);
  const known = await Promise.all(listed.map((id) => composer.knows(id, email)));
  const hidden = new Set(listed.filter((_, at) => !known[at]));
  const has = (needed: readonly string[]) => missingScopes(needed, scopes).length === 0;
  return ok({
    sees: (id) => {
      const found = capabilityOf(id);
      return found !== undefined && !hidden.has(id) && has(found.requiredScopes);
    },
    capabilityOf: (id) => withTools(id, (_, needed) => has(needed)),
  });
}

/** The index asks for every entry, so the answer per capability is computed once. */
export function entryVisible({ sees, capabilityOf }: Visible): (entry: EntryId) => boolean {
  const tools = new Map<string, ReadonlySet<string> | undefined>();
  return ({ capabilityId, tool }) => {
    if (!tools.has(capabilityId)) {
      const names = sees(capabilityId)
        ? capabilityOf(capabilityId)?.tools.map(({ name }) => name)
        : undefined;
      tools.set(capabilityId, names && new Set(names));
    }
    const open = tools.get(capabilityId);
    return open !== undefined && (tool === undefined || open.has(tool));
  };
}
