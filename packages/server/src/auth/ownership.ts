/**
 * Ownership: a key sees what its owner created; only an admin sees everything. What belongs to someone else looks
 * like it does not exist, so that an id reveals nothing.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { AgentSharings, AgentStore, AuditLog, SessionRecord, SessionStore } from "@capstan/runtime";
import type { MiddlewareHandler } from "hono";
import { type Caller, isAdmin } from "../http/caller.ts";
import type { AppEnv } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

export const seesAll = isAdmin;

export const isTheirs = (caller: Caller, owner: string): boolean => seesAll(caller) || caller.email === owner;

/** The owner whose things a listing shows; everyone's for an admin. */
export const ownerFilter = (caller: Caller): string | undefined =>
  seesAll(caller) ? undefined : caller.email;

export async function ownSession(
  sessions: SessionStore,
  id: string,
  caller: Caller,
): Promise<Result<SessionRecord>> {
  const found = await sessions.get(id);
  if (!found.ok) return found;
  return isTheirs(caller, found.value.owner) ? ok(found.value) : fail("not_found", { what: "session", id });
}

/** Below `/v1/sessions` but not a session: it searches those of the caller. */
const SEARCH = "/v1/sessions/search";

const READS = new Set(["GET", "HEAD"]);

/**
 * Runs before every route below a session. An admin uses every session, and its runs have its owner's rights and accounts:
 * so an admin's actions in other people's sessions are in the audit log.
 */
export function guardSessions(parts: {
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
}): MiddlewareHandler<AppEnv> {
  const { sessions, audit } = parts;
  const noteUse = async (id: string, { email }: Caller, request: string): Promise<void> => {
    const found = await sessions.get(id);
    if (!found.ok || found.value.owner === email) return;
    const details = { owner: found.value.owner, request };
    await audit.add({ actor: email, action: "session.used_by_admin", subject: id, details });
  };
  return async (c, next) => {
    const caller = c.get("caller");
    if (caller.rights.length === 0) return next(); // without rights the route itself refuses
    if (c.req.path === SEARCH) return next();
    if (seesAll(caller)) {
      const [id = "", ...rest] = c.req.path.split("/").slice(3);
      if (!READS.has(c.req.method)) await noteUse(id, caller, [c.req.method, ...rest].join(" "));
      return next();
    }
    const found = await ownSession(sessions, c.req.param("id") ?? "", caller);
    return found.ok ? next() : problem(c, found.failure);
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** What each method on the agent itself requires; routes below it decide for themselves. */
const NEEDED: Readonly<Record<string, "change" | "own">> = { PATCH: "change", DELETE: "own" };

/** Whose view of the agents a listing shows; an admin sees all. */
export const sharedToCaller = async (sharing: AgentSharings, caller: Caller) =>
  seesAll(caller) ? undefined : sharing.sharedTo(caller.email);

/** The same, without agents that the caller may only change or answer for. */
export const usableByCaller = async (sharing: AgentSharings, caller: Caller) => {
  const sharedTo = await sharedToCaller(sharing, caller);
  return sharedTo && { ...sharedTo, right: "use" as const };
};

/** Whether this caller may change the agent: its owner, an admin, and whom it is shared with for that. */
export const mayChange = async (sharing: AgentSharings, id: string, caller: Caller): Promise<boolean> =>
  (await sharing.rightsOf(id, { email: caller.email, isAdmin: seesAll(caller) })).includes("change");

/** Agents named in a body; one that the caller may not see counts as missing. */
export async function usableAgents(
  sharing: Pick<AgentSharings, "rightsOf">,
  ids: readonly (string | null | undefined)[],
  caller: Caller,
): Promise<Result<true>> {
  for (const id of ids) {
    if (id == null) continue;
    const rights = await sharing.rightsOf(id, { email: caller.email, isAdmin: seesAll(caller) });
    if (!rights.includes("use")) return fail("not_found", { what: "agent", id });
  }
  return ok(true);
}

/**
 * Runs before every route at or below an agent. One that is not for the caller looks like none. To change it is its owner's
 * right and of people they named: whoever changes it decides what it does with the rights of all its users.
 */
export function guardAgents(parts: {
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
}): MiddlewareHandler<AppEnv> {
  const { agents, sharing } = parts;
  const isOwn = async (id: string, caller: Caller): Promise<boolean> => {
    const found = await agents.get(id);
    return !found.ok || isTheirs(caller, found.value.owner);
  };
  return async (c, next) => {
    const caller = c.get("caller");
    const id = c.req.param("id") ?? "";
    if (!UUID.test(id) || seesAll(caller)) return next(); // "preview" is not an agent
    const rights = await sharing.rightsOf(id, { email: caller.email, isAdmin: false });
    if (rights.length === 0) return problem(c, fail("not_found", { what: "agent", id }).failure);
    const needed = neededAt(c.req.method, c.req.path, caller);
    const may = needed === undefined || (needed === "change" && rights.includes("change"));
    return may || (await isOwn(id, caller)) ? next() : problem(c, BELONGS);
  };
}

/** Without rights the route itself refuses. */
const neededAt = (method: string, path: string, { rights }: Caller): "change" | "own" | undefined =>
  rights.length > 0 && path.split("/").length === "/v1/agents/{id}".split("/").length
    ? NEEDED[method]
    : undefined;

const BELONGS = fail("forbidden", {
  message: "This agent belongs to someone else and acts with the scopes of all its users.",
  nextStep: "Ask its owner or an admin to change it, or create your own.",
}).failure;
