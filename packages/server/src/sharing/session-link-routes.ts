/** /v1/sessions/{id}/links: read-only links to a session, created, listed and revoked by its owner. */
import {
  SessionLinkCreate,
  SessionLinkCreated,
  SessionLinkId,
  type SessionLinkInfo,
  SessionLinkList,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { AuditLog, SessionLink, SessionLinks, SessionStore } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { publicOrigin } from "../auth/resources.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";

const create = createRoute({
  operationId: "createSessionLink",
  ...needs("session", "change"),
  method: "post",
  path: "/v1/sessions/{id}/links",
  summary: "Make a link that shows the session's messages, read-only and for a time",
  request: { params: Id, body: jsonBody(SessionLinkCreate) },
  responses: { 201: json(SessionLinkCreated, "The only answer with the link itself.") },
});
const list = createRoute({
  operationId: "listSessionLinks",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/links",
  summary: "The session's links, newest first, without their secrets",
  request: { params: Id },
  responses: { 200: json(SessionLinkList, "Links.") },
});
const revoke = createRoute({
  operationId: "revokeSessionLink",
  ...needs("session", "change"),
  method: "delete",
  path: "/v1/sessions/{id}/links/{link_id}",
  summary: "End a link at once",
  request: { params: SessionLinkId },
  responses: { 204: { description: "Ended." } },
});

export interface SessionLinkRouteParts {
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly sessionLinks: SessionLinks;
  readonly audit: AuditLog;
}

export function sessionLinkRoutes({ settings, sessions, sessionLinks, audit }: SessionLinkRouteParts) {
  const routes = newRoutes("sessions");
  routes.openapi(create, async (c) => {
    const session = await sessions.get(c.req.valid("param").id);
    if (!session.ok) return problem(c, session.failure);
    const { hours, files: withFiles } = c.req.valid("json");
    const { email } = c.get("caller");
    const made = await sessionLinks.create(session.value.id, { withFiles, hours, by: email });
    if (!made) return problem(c, fail("session_links_full", {}).failure);
    const { link, secret } = made;
    const details = { session: session.value.id, files: withFiles, until: link.expiresAt.toISOString() };
    await audit.add({ actor: email, action: "session.link_made", subject: link.id, details });
    // Behind `#`, so that no server, proxy or page that is linked to ever gets it.
    return c.json({ ...linkDto(link), url: `${publicOrigin(c, settings)}/shared#${secret}` }, 201);
  });
  routes.openapi(list, async (c) => {
    const session = await sessions.get(c.req.valid("param").id);
    if (!session.ok) return problem(c, session.failure);
    const items = (await sessionLinks.list(session.value.id)).map(linkDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(revoke, async (c) => {
    const { id, link_id } = c.req.valid("param");
    const session = await sessions.get(id);
    if (!session.ok) return problem(c, session.failure);
    if (!(await sessionLinks.revoke(session.value.id, link_id)))
      return problem(c, fail("not_found", { what: "link", id: link_id }).failure);
    const details = { session: session.value.id };
    await audit.add({
      actor: c.get("caller").email,
      action: "session.link_revoked",
      subject: link_id,
      details,
    });
    return c.body(null, 204);
  });
  return routes;
}

function linkDto(link: SessionLink): SessionLinkInfo {
  const { id, withFiles, createdBy, createdAt, expiresAt, revokedAt, lastUsedAt } = link;
  const isOver = expiresAt.getTime() <= Date.now();
  return {
    id,
    files: withFiles,
    status: revokedAt !== null ? "revoked" : isOver ? "ended" : "active",
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
