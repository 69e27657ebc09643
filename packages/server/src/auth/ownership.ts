/**
 * Ownership: a key sees what its owner created; only an admin sees everything. What belongs to someone else looks
 * like it does not exist, so that an id reveals nothing.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { AgentStore, SessionRecord, SessionStore } from "@capstan/runtime";
import type { MiddlewareHandler } from "hono";
import { type Caller, isAdmin } from "../http/caller.ts";
import type { AppEnv } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

export const seesAll = isAdmin;

export const isTheirs = (caller: Caller, owner: string): boolean => seesAll(caller) || caller.email === owner;

/** The owner whose things a listing shows; everybody's for an admin. */
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

/** Below `/v1/sessions`, and no session: it looks through those of the caller. */
const SEARCH = "/v1/sessions/search";

/** Runs before every route below a session. Skipped for admins, including everyone on loopback. */
export function guardSessions({ sessions }: { sessions: SessionStore }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const caller = c.get("caller");
    if (seesAll(caller) || caller.rights.length === 0) return next(); // without rights the route itself refuses
    if (c.req.path === SEARCH) return next();
    const found = await ownSession(sessions, c.req.param("id") ?? "", caller);
    return found.ok ? next() : problem(c, found.failure);
  };
}

const CHANGES = new Set(["PATCH", "DELETE"]);

/**
 * Everybody may use an agent, but only its owner may change it: whoever could change it would decide what it does with the
 * rights of all its users.
 */
export function guardAgents({ agents }: { agents: AgentStore }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const caller = c.get("caller");
    if (!CHANGES.has(c.req.method) || seesAll(caller) || caller.rights.length === 0) return next();
    const found = await agents.get(c.req.param("id") ?? "");
    if (!found.ok || isTheirs(caller, found.value.owner)) return next();
    const message = "This agent belongs to someone else, and acts with the scopes of all its users.";
    const nextStep = "Ask its owner or an admin to change it, or create your own.";
    return problem(c, fail("forbidden", { message, nextStep }).failure);
  };
}
