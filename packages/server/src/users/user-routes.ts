/** /v1/users and /v1/audit: who may do what, and who changed it. */
import { fail } from "@capstan/core";
import type { AuditLog, UserRecord, UserStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import type { Caller } from "../http/caller.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const User = z
  .object({
    email: z.string(),
    scopes: z.array(z.string()).openapi({ description: "In force now, with what was granted." }),
    own_scopes: z.array(z.string()).openapi({ description: "Those that were set, and that PUT sets." }),
    preferences: z.record(z.string(), z.unknown()),
  })
  .openapi("User");
const Email = z.object({ email: z.email().or(z.literal("local@localhost")) });
const UserPatch = z.object({
  scopes: z.array(z.string().min(1).max(200)).max(500).optional(),
  preferences: z.record(z.string(), z.unknown()).optional(),
});

const listUsers = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/users",
  tags: ["users"],
  summary: "List users; those other than the caller need the right admin",
  responses: { 200: json(z.object({ items: z.array(User), total: z.int() }), "All users.") },
});

const getUser = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/users/{email}",
  tags: ["users"],
  summary: "One user with the scopes in force",
  request: { params: Email },
  responses: { 200: json(User, "The user.") },
});

const putUser = createRoute({
  ...needs("admin"),
  method: "put",
  path: "/v1/users/{email}",
  tags: ["users"],
  summary: "Set a user's scopes and preferences",
  request: { params: Email, body: jsonBody(UserPatch) },
  responses: { 200: json(User, "The user as it is now.") },
});

const listAudit = createRoute({
  ...needs("admin"),
  method: "get",
  path: "/v1/audit",
  tags: ["users"],
  summary: "Who changed what, newest first",
  request: {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(100),
      cursor: z.coerce.number().int().min(1).optional(),
    }),
  },
  responses: {
    200: json(
      z.object({
        items: z.array(
          z
            .object({
              id: z.int(),
              actor: z.string(),
              action: z.string(),
              subject: z.string(),
              details: z.record(z.string(), z.unknown()),
              created_at: z.string(),
            })
            .openapi("AuditEntry"),
        ),
        next_cursor: z.int().optional(),
      }),
      "A page of the log.",
    ),
  },
});

export interface UserRouteParts {
  readonly users: UserStore;
  readonly audit: AuditLog;
}

export function userRoutes({ users, audit }: UserRouteParts) {
  const routes = newRoutes();
  routes.openapi(listUsers, async (c) => {
    const items = (await users.list()).filter(({ email }) => maySee(c.get("caller"), email)).map(userDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(getUser, async (c) => {
    const { email } = c.req.valid("param");
    if (!maySee(c.get("caller"), email)) {
      return problem(c, fail("not_found", { what: "user", id: email }).failure);
    }
    return c.json(userDto(await users.get(email)), 200);
  });
  routes.openapi(putUser, async (c) => {
    const { email } = c.req.valid("param");
    const { scopes, preferences } = c.req.valid("json");
    const user = await users.put(email, { ...(scopes && { scopes }), ...(preferences && { preferences }) });
    await audit.add({
      actor: c.get("caller").email,
      action: "user.updated",
      subject: email,
      details: { scopes: user.ownScopes },
    });
    return c.json(userDto(user), 200);
  });
  routes.openapi(listAudit, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const entries = await audit.list({ limit, cursor });
    const items = entries.map(({ createdAt, details, ...entry }) => ({
      ...entry,
      details: details ?? {},
      created_at: createdAt.toISOString(),
    }));
    const last = items.at(-1);
    return c.json({ items, ...(items.length === limit && last && { next_cursor: last.id }) }, 200);
  });
  return routes;
}

/** Who may do what is nobody else's business: it tells whose key is worth having. */
const maySee = (caller: Caller, email: string): boolean =>
  caller.rights.includes("admin") || caller.email === email;

const userDto = ({ ownScopes, ...user }: UserRecord) => ({ ...user, own_scopes: ownScopes });
