/**
 * /v1/sessions/{id}/changes: what a session changed in the real folder of its agent. Applying writes to the server's machine,
 * so it needs an admin; whoever owns the session may read and discard.
 */
import { ChangeApply, FolderChange } from "@capstan/client/wire";
import type { Result } from "@capstan/core";
import type { AuditLog, FolderChange as Change, SessionStore, Worktrees } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const getRoute = createRoute({
  operationId: "getChange",
  ...needs("change", "see"),
  method: "get",
  path: "/v1/sessions/{id}/changes",
  summary: "What the session changed in its agent's folder, and what prevents applying it",
  request: { params: Id },
  responses: { 200: json(FolderChange, "The newest change, settled or not.") },
});

const applyRoute = createRoute({
  operationId: "applyChange",
  ...needs("change", "use"),
  method: "post",
  path: "/v1/sessions/{id}/changes/apply",
  summary: "Apply the change to the folder, as one commit on the branch that is checked out there",
  request: { params: Id, body: jsonBody(ChangeApply) },
  responses: { 200: json(FolderChange, "The change with its commit.") },
});

const discardRoute = createRoute({
  operationId: "discardChange",
  ...needs("change", "change"),
  method: "post",
  path: "/v1/sessions/{id}/changes/discard",
  summary: "Discard the change: its worktree and branch are removed, the folder is not changed",
  request: { params: Id },
  responses: { 200: json(FolderChange, "The discarded change.") },
});

export interface ChangeRouteParts {
  readonly harnesses: { readonly worktrees: Worktrees };
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
}

export function changeRoutes({ harnesses: { worktrees }, sessions, audit }: ChangeRouteParts) {
  const routes = newRoutes("sessions");
  const record = async (action: string, by: string, settled: Result<Change>): Promise<void> => {
    if (!settled.ok) return;
    const { sessionId, folder, branch, base, commit } = settled.value.work;
    await audit.add({ actor: by, action, subject: sessionId, details: { folder, branch, base, commit } });
  };
  routes.openapi(getRoute, async (c) => {
    const read = await worktrees.read(c.req.valid("param").id);
    return read.ok ? c.json(changeDto(read.value), 200) : problem(c, read.failure);
  });
  routes.openapi(applyRoute, async (c) => {
    const { id } = c.req.valid("param");
    const { email } = c.get("caller");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const message = c.req.valid("json").message ?? (found.value.title || "Change by an agent");
    const applied = await worktrees.apply(id, { by: email, message: withOrigin(message, id) });
    await record("change.applied", email, applied);
    return applied.ok ? c.json(changeDto(applied.value), 200) : problem(c, applied.failure);
  });
  routes.openapi(discardRoute, async (c) => {
    const { email } = c.get("caller");
    const discarded = await worktrees.discard(c.req.valid("param").id, email);
    await record("change.discarded", email, discarded);
    return discarded.ok ? c.json(changeDto(discarded.value), 200) : problem(c, discarded.failure);
  });
  return routes;
}

/** A trailer, so that a commit leads back to its conversation. */
const withOrigin = (message: string, sessionId: string): string =>
  `${message}\n\nCapstan-Session: ${sessionId}\n`;

function changeDto({ work, files, behind, conflicts, blockedBy, notes, problem: why }: Change): FolderChange {
  const { sessionId, status, folder, branch, base, commit, settledBy, settledAt, createdAt } = work;
  return {
    session_id: sessionId,
    status,
    folder,
    branch,
    base,
    commit: status === "applied" ? commit : null,
    files: [...files],
    behind,
    conflicts: [...conflicts],
    blocked_by: [...blockedBy],
    notes: [...notes],
    problem: why ? { code: why.code, message: why.message, nextStep: why.nextStep } : null,
    settled_by: status === "applying" ? null : settledBy,
    settled_at: settledAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}
