/**
 * Whose is it? A key sees what its owner made; only an admin sees everything. What is someone else's is answered like
 * what never was, so that an id tells nothing.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { AgentStore, SessionRecord, SessionStore } from "@capstan/runtime";
import type { MiddlewareHandler } from "hono";
import { type Caller, isAdmin } from "../http/caller.ts";
import type { AppEnv } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

export const seesAll = isAdmin;

export const isTheirs = (caller: Caller, owner: string): boolean => seesAll(caller) || caller.email === owner;

/** Whose things a listing shows: everybody's to an admin. */
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

/** Before every route below a session. An admin, as everyone on loopback is, is not looked up. */
export function guardSessions({ sessions }: { sessions: SessionStore }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const caller = c.get("caller");
    if (seesAll(caller) || caller.rights.length === 0) return next(); // without rights the route itself refuses
    const found = await ownSession(sessions, c.req.param("id") ?? "", caller);
    return found.ok ? next() : problem(c, found.failure);
  };
}

const CHANGES = new Set(["PATCH", "DELETE"]);

/**
 * An agent is everybody's to use and its owner's to change: whoever could change it would decide what it does with the
 * rights of all who use it.
 */
export function guardAgents({ agents }: { agents: AgentStore }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const caller = c.get("caller");
    if (!CHANGES.has(c.req.method) || seesAll(caller) || caller.rights.length === 0) return next();
    const found = await agents.get(c.req.param("id") ?? "");
    if (!found.ok || isTheirs(caller, found.value.owner)) return next();
    const message = "This agent belongs to someone else, and works with the scopes of all who use it.";
    const nextStep = "Ask its owner or an admin to change it, or make one of your own.";
    return problem(c, fail("forbidden", { message, nextStep }).failure);
  };
}
