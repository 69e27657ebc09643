/**
 * What an agent may do depends on who saved it. Decided here, both when it is saved and when it is used: if the
 * author loses a right, so does the agent, however it was saved.
 */
import { type AgentSpec, type CapabilityRegistry, ok, type Result } from "@capstan/core";
import {
  type Author,
  beyondAuthor,
  findCapability,
  limitToAuthor,
  type Surroundings,
} from "@capstan/core/internal";
import type { KeyStore } from "../users/key-store.ts";
import { LOCAL_USER, type UserRecord, type UserStore } from "../users/user-store.ts";
import type { AgentInput, AgentRecord } from "./agent-record.ts";
import type { AgentStore } from "./agent-store.ts";
import { delegateIdOf } from "./offer-agents.ts";

export interface AgentAuthors {
  /** What this author may not save, as text. `id`: an existing agent, whose own grants count too. */
  beyond(input: AgentInput, author: { email: string; isAdmin: boolean }, id?: string): Promise<string[]>;
  /** The agent, limited to what its author could save now. `chosenBy`: the user of a revision that was never made live. */
  limit(agent: AgentRecord, chosenBy?: string): Promise<Result<AgentSpec>>;
}

export interface AuthorParts {
  readonly agents: Pick<AgentStore, "get">;
  readonly users: Pick<UserStore, "get" | "grantsOf">;
  readonly keys: Pick<KeyStore, "holdsAdmin">;
  readonly registry: CapabilityRegistry;
}

export function agentAuthors({ agents, users, keys, registry }: AuthorParts): AgentAuthors {
  const around = async ({ capabilities }: Pick<AgentSpec, "capabilities">): Promise<Surroundings> => ({
    capabilityOf: (ref) => findCapability(registry, ref),
    delegates: await delegatesOf(agents, capabilities),
  });
  const authorNow = async (email: string): Promise<Author> => {
    if (email === LOCAL_USER) return { email, isAdmin: true, scopes: [] };
    const user = await users.get(email);
    const { scopes } = user;
    const isAdmin = await isAdminNow(user, keys);
    return isAdmin ? { email, isAdmin, scopes: [] } : { email, isAdmin, scopes };
  };
  return {
    async beyond(input, { email, isAdmin }, id) {
      if (isAdmin) return [];
      const given = id === undefined ? [] : await users.grantsOf(`agent:${id}`);
      const grantedScopes = [...input.grantedScopes, ...given.map(({ scope }) => scope)];
      const { scopes } = await users.get(email);
      return beyondAuthor({ ...input, grantedScopes }, { email, isAdmin, scopes }, await around(input));
    },
    async limit(agent, chosenBy) {
      let limited: Result<AgentSpec> = ok(agent);
      for (const email of new Set([agent.author, ...(chosenBy === undefined ? [] : [chosenBy])])) {
        const author = await authorNow(email);
        if (limited.ok && !author.isAdmin)
          limited = limitToAuthor(limited.value, author, await around(agent));
      }
      return limited;
    },
  };
}

const isAdminNow = async (
  { email, isActive, role }: UserRecord,
  keys: AuthorParts["keys"],
): Promise<boolean> => role === "admin" || (isActive && role === undefined && (await keys.holdsAdmin(email)));

/** Whether an address is an admin's, by their role or by a key they hold. */
export const adminCheck =
  ({ users, keys }: Pick<AuthorParts, "users" | "keys">) =>
  async (email: string): Promise<boolean> =>
    email === LOCAL_USER || isAdminNow(await users.get(email), keys);

/** Also indirect delegates, each once. A deleted agent is left out. */
async function delegatesOf(
  agents: AuthorParts["agents"],
  capabilities: AgentSpec["capabilities"],
): Promise<AgentRecord[]> {
  const found = new Map<string, AgentRecord>();
  const waiting = [...capabilities];
  for (const { id } of waiting) {
    const agentId = delegateIdOf(id);
    if (agentId === undefined || found.has(agentId)) continue;
    const agent = await agents.get(agentId);
    if (!agent.ok) continue;
    found.set(agentId, agent.value);
    waiting.push(...agent.value.capabilities);
  }
  return [...found.values()];
}
