/** /v1/scim-tokens: tokens with which a directory calls /scim. */
import type { ScimToken } from "@capstan/client";
import { peopleWire } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { AuditLog, Directory } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { DirectoryToken } from "./directory-types.ts";

const list = createRoute({
  operationId: "listScimTokens",
  ...needs("grant", "see"),
  method: "get",
  path: "/v1/scim-tokens",
  summary: "Tokens with which a directory pushes users and groups, newest first",
  responses: { 200: json(peopleWire.ScimTokenList, "Those in force, without the tokens themselves.") },
});

const create = createRoute({
  operationId: "createScimToken",
  ...needs("grant", "change"),
  method: "post",
  path: "/v1/scim-tokens",
  summary: "Create a token for a directory; it opens /scim/v2 of this organisation and nothing else",
  request: { body: jsonBody(peopleWire.ScimTokenCreate) },
  responses: { 201: json(peopleWire.NewScimToken, "The token, shown once.") },
});

const revoke = createRoute({
  operationId: "revokeScimToken",
  ...needs("grant", "change"),
  method: "delete",
  path: "/v1/scim-tokens/{id}",
  summary: "Revoke it, effective immediately; what the directory pushed stays",
  request: { params: Id },
  responses: { 204: { description: "Revoked." } },
});

export interface TokenRouteParts {
  readonly directory: Pick<Directory, "tokens">;
  readonly audit: AuditLog;
}

export function tokenRoutes({ directory, audit }: TokenRouteParts) {
  const routes = newRoutes("users");
  routes.openapi(list, async (c) => {
    const items = (await directory.tokens.list()).map(tokenDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(create, async (c) => {
    const { name } = c.req.valid("json");
    const { email } = c.get("caller");
    const { token, record } = await directory.tokens.create(name, email);
    await audit.add({ actor: email, action: "scim_token.created", subject: record.id, details: { name } });
    return c.json({ ...tokenDto(record), token }, 201, { "cache-control": "no-store" });
  });
  routes.openapi(revoke, async (c) => {
    const { id } = c.req.valid("param");
    const gone = await directory.tokens.revoke(id);
    if (!gone) return problem(c, fail("not_found", { what: "scim token", id }).failure);
    const { email } = c.get("caller");
    await audit.add({
      actor: email,
      action: "scim_token.revoked",
      subject: id,
      details: { name: gone.name },
    });
    return c.body(null, 204);
  });
  return routes;
}

const tokenDto = ({ id, name, prefix, createdBy, createdAt, lastUsedAt }: DirectoryToken): ScimToken => ({
  id,
  name,
  prefix,
  created_by: createdBy,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
