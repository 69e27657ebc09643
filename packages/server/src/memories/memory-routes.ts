/** /v1/memories: list, search, write, correct and delete what agents remember. Other people's facts are "not found". */
import { Memory, MemoryCreate, MemoryPage, MemoryPatch, MemoryQuery } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  type AuditLog,
  type MemoryOwner,
  type MemoryRecord,
  type MemoryStore,
  ORGANISATION,
  readCursor,
} from "@capstan/runtime";
import { createRoute, type z } from "@hono/zod-openapi";
import { isTheirs, seesAll } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { changesOf } from "../http/sent-back.ts";

const list = createRoute({
  operationId: "listMemories",
  ...needs("memory", "see"),
  method: "get",
  path: "/v1/memories",
  summary:
    "Facts that agents remember: yours and the organisation's, or an agent's of yours, newest first; with `q` by words and meaning",
  request: { query: MemoryQuery },
  responses: { 200: json(MemoryPage, "Facts.") },
});
const create = createRoute({
  operationId: "createMemory",
  ...needs("memory", "change"),
  method: "post",
  path: "/v1/memories",
  summary: "Write a fact in person",
  request: { body: jsonBody(MemoryCreate) },
  responses: { 201: json(Memory, "The fact; the one that was there if it is known.") },
});
const change = createRoute({
  operationId: "changeMemory",
  ...needs("memory", "change"),
  method: "patch",
  path: "/v1/memories/{id}",
  summary: "Correct a fact, or say that you trust it",
  request: { params: Id, body: jsonBody(MemoryPatch) },
  responses: { 200: json(Memory, "The fact as it is now.") },
});
const forget = createRoute({
  operationId: "forgetMemory",
  ...needs("memory", "change"),
  method: "delete",
  path: "/v1/memories/{id}",
  summary: "Forget a fact",
  request: { params: Id },
  responses: { 204: { description: "It is gone." } },
});

export interface MemoryRouteParts {
  readonly memories: MemoryStore;
  readonly agents: AgentStore;
  readonly audit: AuditLog;
}

export function memoryRoutes(parts: MemoryRouteParts) {
  const { memories, audit } = parts;
  const routes = newRoutes("memories");
  const note = (actor: string, action: string, { id, scope, subject }: MemoryRecord) =>
    audit.add({ actor, action: `memory.${action}`, subject: id, details: { scope, owner: subject } });
  routes.openapi(list, async (c) => {
    const { limit, cursor, ...query } = c.req.valid("query");
    const after = readCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const owners = await ownersOf(parts, c.get("caller"), query);
    if (!owners.ok) return problem(c, owners.failure);
    if (query.q !== undefined) {
      if (cursor !== undefined) return problem(c, fail("cursor_invalid", { cursor }).failure); // a search is one page
      const found = await memories.search(owners.value ?? [], query.q, limit);
      return c.json({ items: found.map(dto) }, 200);
    }
    const { scope } = query;
    const page = await memories.list({ owners: owners.value, scope, after: after.value, limit });
    return c.json(wirePage(page, dto), 200);
  });
  routes.openapi(create, async (c) => {
    const caller = c.get("caller");
    const sent = c.req.valid("json");
    const owner = ownerOf(sent, caller);
    const allowed = await mayChange(parts, caller, owner);
    if (!allowed.ok) return problem(c, allowed.failure);
    const made = await memories.add({ ...owner, text: sent.text, labels: [], createdBy: caller.email });
    if (!made.ok) return problem(c, made.failure);
    await note(caller.email, "created", made.value);
    return c.json(dto(made.value), 201);
  });
  routes.openapi(change, async (c) => {
    const { id } = c.req.valid("param");
    const caller = c.get("caller");
    const found = await changeable(parts, caller, id);
    if (!found.ok) return problem(c, found.failure);
    const current = dto(found.value);
    const changes = changesOf(
      { schema: MemoryPatch, what: "memory", current, figures: ["score"] },
      c.req.valid("json"),
    );
    if (!changes.ok) return problem(c, changes.failure);
    if (Object.keys(changes.value).length === 0) return c.json(current, 200);
    const changed = await memories.change(id, changes.value, caller.email);
    if (!changed.ok) return problem(c, changed.failure);
    await note(caller.email, "changed", changed.value);
    return c.json(dto(changed.value), 200);
  });
  routes.openapi(forget, async (c) => {
    const { id } = c.req.valid("param");
    const caller = c.get("caller");
    const found = await changeable(parts, caller, id);
    const gone = found.ok ? await memories.forget(id) : found;
    if (!gone.ok) return problem(c, gone.failure);
    await note(caller.email, "forgotten", gone.value);
    return c.body(null, 204);
  });
  return routes;
}

type Query = Pick<z.output<typeof MemoryQuery>, "scope" | "agent_id" | "user" | "q">;

/** Whose facts are listed; undefined: everyone's, for an admin who names nobody and searches nothing. */
async function ownersOf(
  parts: MemoryRouteParts,
  caller: Caller,
  { scope, agent_id, user, q }: Query,
): Promise<Result<readonly MemoryOwner[] | undefined>> {
  if (agent_id !== undefined) return ownersOfAgent(parts, caller, agent_id);
  if (user !== undefined && !isTheirs(caller, user)) return fail("not_found", { what: "user", id: user });
  if (user !== undefined) return ok([{ scope: "user", subject: user }]);
  if (seesAll(caller) && q === undefined) return ok(undefined);
  const own: MemoryOwner[] = [{ scope: "user", subject: caller.email }, ORGANISATION];
  return ok(own.filter((owner) => scope === undefined || owner.scope === scope));
}

async function ownersOfAgent(
  { agents }: MemoryRouteParts,
  caller: Caller,
  id: string,
): Promise<Result<readonly MemoryOwner[]>> {
  const agent = await agents.get(id);
  if (!agent.ok) return agent;
  return isTheirs(caller, agent.value.owner)
    ? ok([{ scope: "agent", subject: id }])
    : fail("not_found", { what: "agent", id });
}

const ownerOf = ({ scope, agent_id }: z.output<typeof MemoryCreate>, caller: Caller): MemoryOwner =>
  scope === "organisation"
    ? ORGANISATION
    : { scope, subject: scope === "agent" ? (agent_id ?? "") : caller.email };

/** Users change their own facts, owners their agents', admins the organisation's. */
async function mayChange(
  { agents }: MemoryRouteParts,
  caller: Caller,
  owner: MemoryOwner,
): Promise<Result<true>> {
  if (owner.scope === "agent") {
    const agent = await agents.get(owner.subject);
    if (!agent.ok) return agent;
    return isTheirs(caller, agent.value.owner)
      ? ok(true)
      : fail("not_found", { what: "agent", id: owner.subject });
  }
  if (owner.scope === "user" && isTheirs(caller, owner.subject)) return ok(true);
  return seesAll(caller)
    ? ok(true)
    : fail("forbidden", { message: "Everybody's facts are changed by admins.", nextStep: "Ask an admin." });
}

async function changeable(
  parts: MemoryRouteParts,
  caller: Caller,
  id: string,
): Promise<Result<MemoryRecord>> {
  const found = await parts.memories.get(id);
  if (!found.ok) return found;
  const { scope, subject } = found.value;
  if (scope === "user" && !isTheirs(caller, subject)) return fail("not_found", { what: "memory", id });
  const allowed = await mayChange(parts, caller, found.value);
  if (allowed.ok) return found;
  return scope === "agent" ? fail("not_found", { what: "memory", id }) : allowed;
}

const dto = (memory: MemoryRecord & { readonly score?: number }): Memory => ({
  id: memory.id,
  scope: memory.scope,
  subject: memory.subject,
  text: memory.text,
  labels: [...memory.labels],
  created_by: memory.createdBy,
  source:
    memory.callId === null
      ? null
      : {
          agent_id: memory.agentId,
          session_id: memory.sessionId,
          run_id: memory.runId,
          call_id: memory.callId,
        },
  edited_by: memory.editedBy,
  ...(memory.score !== undefined && { score: memory.score }),
  created_at: new Date(memory.createdAt).toISOString(),
  updated_at: new Date(memory.updatedAt).toISOString(),
});
