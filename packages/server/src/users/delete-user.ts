/**
 * DELETE /v1/users/{email}: deletes the user's data, revokes their accounts at the providers, and records it in the
 * audit log.
 */
import type { UserDeletion } from "@capstan/client";
import { peopleWire, UserEmail } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import {
  type AuditLog,
  type ConnectAccounts,
  type ConnectionStore,
  type Database,
  endAccess,
  eraseUser,
  FIRST_ORGANISATION,
  LOCAL_USER,
  type LoginStore,
  type SessionStore,
  type UserStore,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const remove = createRoute({
  operationId: "deleteUser",
  ...needs("user", "change"),
  method: "delete",
  path: "/v1/users/{email}",
  summary:
    "Delete what is a disabled user's own: keys, tokens, logins, accounts, memories, schedules, sessions if wanted",
  request: { params: z.object({ email: UserEmail }), query: peopleWire.UserDeleteQuery },
  responses: { 200: json(peopleWire.UserDeletion, "What is gone; the address stays disabled.") },
});

export interface DeleteUserParts {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly connections: Pick<ConnectionStore, "list">;
  readonly connectAccounts: Pick<ConnectAccounts, "revoke">;
  readonly logins: LoginStore;
  readonly audit: AuditLog;
  readonly database: Pick<Database, "orm" | "organisation" | "policyChanges">;
  readonly organisation: string;
}

const PAGE = 100;

export function deleteUserRoutes(parts: DeleteUserParts) {
  const routes = newRoutes("users");
  routes.openapi(remove, async (c) => {
    const { email } = c.req.valid("param");
    const caller = c.get("caller");
    if (email === LOCAL_USER || email === caller.email)
      return problem(c, fail("input_invalid", { where: "email: nobody deletes themselves" }).failure);
    if (!(await parts.users.get(email)).isDisabled)
      return problem(c, fail("user_in_use", { user: email }).failure);
    const gone = await deleteUser(parts, email, c.req.valid("query").sessions === "delete");
    const { user: _, ...details } = gone;
    await parts.audit.add({ actor: caller.email, action: "user.deleted", subject: email, details });
    return c.json(gone, 200);
  });
  return routes;
}

/** Accounts first: their tokens are needed to revoke them at the providers. If interrupted, repeat the request. */
async function deleteUser(
  parts: DeleteUserParts,
  email: string,
  withSessions: boolean,
): Promise<UserDeletion> {
  const accounts = await revokeAccounts(parts, email);
  const { keys, tokens, clients } = await endAccess(parts.database, email);
  const isFirst = parts.organisation === FIRST_ORGANISATION;
  const logins = isFirst ? await parts.logins.revokeOf(email) : 0;
  const sessions = withSessions ? await deleteSessions(parts.sessions, email) : 0;
  const { memories, schedules } = await eraseUser(parts.database, email);
  await parts.database.policyChanges.announce();
  return { user: email, keys, tokens: tokens + clients, logins, ...accounts, memories, schedules, sessions };
}

async function revokeAccounts({ connections, connectAccounts }: DeleteUserParts, email: string) {
  const own = await connections.list(email);
  const untold: string[] = [];
  for (const { id, provider } of own) {
    const gone = await connectAccounts.revoke(id);
    if (!gone.ok || gone.value.atProvider !== true) untold.push(provider);
  }
  return { connections: own.length, not_revoked_at_provider: untold };
}

async function deleteSessions(sessions: SessionStore, owner: string): Promise<number> {
  for (let count = 0; ; ) {
    const { items } = await sessions.list({ owner, limit: PAGE });
    for (const { id } of items) await sessions.delete(id);
    count += items.length;
    if (items.length < PAGE) return count;
  }
}
