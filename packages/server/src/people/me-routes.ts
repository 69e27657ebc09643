/** /v1/me and /v1/logins: the caller, and where people are signed in. */
import { LoginList, listQueries, Me } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import {
  type AuditLog,
  FIRST_ORGANISATION,
  type Login,
  type LoginStore,
  pageInMemory,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { enterable } from "../organisations/enterable.ts";
import type { OrganisationHost } from "../organisations/organisation-host.ts";

const me = createRoute({
  operationId: "getMe",
  method: "get",
  path: "/v1/me",
  summary: "Who asks, with which rights, and where people sign in",
  "x-capstan-right": "none",
  responses: { 200: json(Me, "Who asks; also for nobody.") },
});

const list = createRoute({
  operationId: "listLogins",
  ...needs("login", "see"),
  method: "get",
  path: "/v1/logins",
  summary: "Where you are signed in, newest first; for an admin, everyone's sign-ins",
  request: { query: listQueries.LoginQuery },
  responses: { 200: json(LoginList, "Logins that are in force.") },
});

const revoke = createRoute({
  operationId: "revokeLogin",
  ...needs("login", "change"),
  method: "delete",
  path: "/v1/logins/{id}",
  summary: "Sign a browser or a command line out, effective immediately",
  request: { params: Id },
  responses: { 204: { description: "Signed out." } },
});

const end = createRoute({
  operationId: "endLogin",
  method: "post",
  path: "/v1/logins/end",
  summary: "Sign out: end the login that asks, also without any right",
  "x-capstan-right": "none",
  responses: { 204: { description: "Signed out." } },
});

export interface MeParts {
  readonly logins: LoginStore;
  readonly audit: AuditLog;
  readonly issuer: string | undefined;
  readonly host: OrganisationHost;
  readonly organisation: string;
}

export function meRoutes({ logins, audit, issuer, host, organisation }: MeParts) {
  const routes = newRoutes("logins");
  /** Logins are the server's: another organisation's admin ends only their own. */
  const seenBy = (caller: Caller) =>
    organisation === FIRST_ORGANISATION ? ownerFilter(caller) : caller.email;
  routes.openapi(me, async (c) => {
    const caller = c.get("caller");
    const by = howCame(caller);
    const answer: Me = {
      user: by === "nobody" ? null : caller.email,
      name: caller.login?.name ?? null,
      rights: [...caller.rights],
      by,
      login_id: caller.login?.id ?? null,
      provider: issuer === undefined ? null : { issuer },
      organisation: host.names().length === 0 ? null : organisation,
      organisations: by === "nobody" ? [] : await enterable({ host }, caller),
    };
    return c.json(answer, 200, { "cache-control": "no-store" });
  });
  routes.openapi(list, async (c) => {
    const caller = c.get("caller");
    const { q, ...rest } = c.req.valid("query");
    const all = (await logins.list(seenBy(caller))).filter(({ userEmail, device }) =>
      hasText(q, userEmail, device),
    );
    const page = pageInMemory(all, rest, { keyOf: ({ id }) => id });
    if (!page.ok) return problem(c, page.failure);
    return c.json(
      wirePage(page.value, (login) => loginDto(login, caller)),
      200,
    );
  });
  routes.openapi(revoke, async (c) => {
    const caller = c.get("caller");
    const { id } = c.req.valid("param");
    const found = (await logins.list(seenBy(caller))).find((each) => each.id === id);
    const isGone = found !== undefined && isTheirs(caller, found.userEmail) && (await logins.revoke(id));
    if (!isGone) return problem(c, fail("not_found", { what: "login", id }).failure);
    await audit.add({ actor: caller.email, action: "login.revoked", subject: id });
    return c.body(null, 204);
  });
  routes.openapi(end, async (c) => {
    const { email, login } = c.get("caller");
    if (login === undefined)
      return problem(c, fail("unauthenticated", { why: "no login was sent that could end" }).failure);
    if (await logins.revoke(login.id))
      await audit.add({ actor: email, action: "login.ended", subject: login.id });
    return c.body(null, 204);
  });
  return routes;
}

function howCame({ key, login }: Caller): Me["by"] {
  if (login) return "login";
  if (key === "none") return "nobody";
  return key === "owner" || key === "loopback" ? key : "key";
}

const loginDto = ({ id, kind, userEmail, device, ...at }: Login, caller: Caller) => ({
  id,
  kind,
  user: userEmail,
  device,
  is_this: caller.login?.id === id,
  created_at: at.createdAt.toISOString(),
  last_used_at: at.lastUsedAt.toISOString(),
  expires_at: at.expiresAt.toISOString(),
});
