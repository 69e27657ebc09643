/** /v1/users and /v1/audit: who may do what, and who changed it. */
import { isDeepStrictEqual } from "node:util";
import {
  AuditPage,
  AuditQuery,
  AuditVerification,
  AuditVerificationQuery,
  User,
  UserEmail,
  UserList,
  UserPut,
  UserQuery,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AuditLog,
  type Database,
  LOCAL_USER,
  pageInMemory,
  readNumberCursor,
  subjectNames,
  type UserRecord,
  type UserStore,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import type { Caller } from "../http/caller.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, isWord, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { changesOf } from "../http/sent-back.ts";

const Email = z.object({ email: UserEmail });

const listUsers = createRoute({
  operationId: "listUsers",
  ...needs("user", "see"),
  method: "get",
  path: "/v1/users",
  summary: "Users, newest first; others than the caller require the admin right",
  request: { query: UserQuery },
  responses: { 200: json(UserList, "All users.") },
});

const getUser = createRoute({
  operationId: "getUser",
  ...needs("user", "see"),
  method: "get",
  path: "/v1/users/{email}",
  summary: "One user with the effective scopes",
  request: { params: Email },
  responses: { 200: json(User, "The user.") },
});

const putUser = createRoute({
  operationId: "putUser",
  ...needs("user", "change"),
  method: "put",
  path: "/v1/users/{email}",
  summary: "Set a user's scopes, preferences and weight",
  request: { params: Email, body: jsonBody(UserPut) },
  responses: { 200: json(User, "The updated user.") },
});

const listAudit = createRoute({
  operationId: "listAudit",
  ...needs("audit log", "see"),
  method: "get",
  path: "/v1/audit",
  summary: "Who changed what, newest first",
  request: {
    query: AuditQuery,
  },
  responses: {
    200: json(AuditPage, "A page of the log."),
  },
});

const verifyAudit = createRoute({
  operationId: "verifyAuditLog",
  ...needs("audit log", "see"),
  method: "get",
  path: "/v1/audit/verification",
  summary: "Verify the audit log's hash chain, and that it still contains a hash that you kept",
  request: { query: AuditVerificationQuery },
  responses: { 200: json(AuditVerification, "Whether each row matches the previous one.") },
});

export interface UserRouteParts {
  readonly users: UserStore;
  readonly audit: AuditLog;
  readonly database: Pick<Database, "reader">;
}

export function userRoutes({ users, audit, database }: UserRouteParts) {
  const routes = newRoutes("users");
  routes.openapi(listUsers, async (c) => {
    const { q, ...page } = c.req.valid("query");
    const found = (await users.list()).filter(
      ({ email }) => maySee(c.get("caller"), email) && hasText(q, email),
    );
    const paged = pageInMemory(found, page, { keyOf: ({ email }) => email, isKey: isWord });
    if (!paged.ok) return problem(c, paged.failure);
    const items = await Promise.all(paged.value.items.map(({ email }) => users.get(email)));
    return c.json(wirePage({ ...paged.value, items }, userDto), 200);
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
    const read = settingsOf(userDto(await users.get(email)), c.req.valid("json"));
    if (!read.ok) return problem(c, read.failure);
    const { scopes, preferences, disabled, weight } = read.value;
    if (disabled === true && (email === LOCAL_USER || email === c.get("caller").email))
      return problem(c, fail("input_invalid", { where: "disabled: nobody locks themselves out" }).failure);
    const user = await users.put(email, {
      ...(scopes && { scopes }),
      ...(preferences && { preferences }),
      ...(disabled !== undefined && { isDisabled: disabled }),
      ...(weight !== undefined && { weight }),
    });
    await audit.add({
      actor: c.get("caller").email,
      action: "user.updated",
      subject: email,
      details: { scopes: user.ownScopes, disabled: user.isDisabled, weight: user.weight },
    });
    return c.json(userDto(user), 200);
  });
  routes.openapi(verifyAudit, async (c) => c.json(await audit.verify(c.req.valid("query").expect), 200));
  routes.openapi(listAudit, async (c) => {
    const { limit, cursor, q, ...filter } = c.req.valid("query");
    const before = readNumberCursor(cursor);
    if (!before.ok) return problem(c, before.failure);
    const found = await audit.list({ limit: limit + 1, before: before.value, text: q, ...filter });
    const entries = found.slice(0, limit);
    const names = await subjectNames(
      database,
      entries.map(({ subject }) => subject),
    );
    const items = entries.map(({ createdAt, details = {}, ...entry }) => ({
      ...entry,
      subject_name: names.get(entry.subject) ?? nameIn(details),
      details,
      created_at: createdAt.toISOString(),
    }));
    const last = items.at(-1);
    return c.json({ items, ...(found.length > limit && last && { next_cursor: last.id }) }, 200);
  });
  return routes;
}

/** Deleted things keep the name they had when the entry was written. */
const nameIn = ({ name, tool }: Record<string, unknown>): string | null =>
  [name, tool].find((each) => typeof each === "string") ?? null;

const EFFECTIVE_SCOPES =
  "scopes: beside own_scopes they are what the user has with grants, and cannot be set; leave them out, or send them as they were read";

/** `scopes` is what GET returns beside `own_scopes`: setting it would turn temporary grants into permanent ones. */
function settingsOf(
  current: User,
  { own_scopes, scopes, ...rest }: z.output<typeof UserPut>,
): Result<UserPut> {
  if (own_scopes && scopes && !isDeepStrictEqual(scopes, current.scopes))
    return fail("input_invalid", { where: EFFECTIVE_SCOPES });
  const changes = changesOf({ schema: UserPut, what: "user", current }, rest);
  return changes.ok ? ok({ ...rest, scopes: own_scopes ?? scopes }) : changes;
}

/** Rights are private: they reveal whose key is worth stealing. */
const maySee = (caller: Caller, email: string): boolean =>
  caller.rights.includes("admin") || caller.email === email;

const userDto = ({ ownScopes, isActive, isDisabled, role, ...user }: UserRecord) => ({
  ...user,
  own_scopes: ownScopes,
  active: isActive,
  disabled: isDisabled,
  role: role ?? null,
});
