/** /v1/agents/{id}/revisions and /labels: the history of an agent, and which revision each label points to. */
import {
  Agent,
  AgentLabels,
  LabelChange,
  listQueries,
  Revision,
  RevisionList,
  RevisionQuery,
  RevisionRestore,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { rightsGrowth } from "@capstan/core/internal";
import {
  type AgentRecord,
  onKeptVersions,
  type Revision as RevisionRecord,
  readNumberCursor,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { mayChange } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { agentDto } from "./agent-wire.ts";
import { diffDto, labelDto, revisionDto, summaryDto } from "./revision-dto.ts";
import { type SaveAgentParts, saveAgent, withinAuthor } from "./save-agent.ts";

const Numbered = z.object({
  id: z.string(),
  number: z.string().regex(/^\d{1,9}$/, "must be the number of a revision"),
});
const CANARY_SHARE = 10;

const list = createRoute({
  operationId: "listRevisions",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}/revisions",
  summary: "Every state an agent was saved in, newest first",
  request: { params: Id, query: listQueries.RevisionListQuery },
  responses: { 200: json(RevisionList, "Revisions.") },
});
const get = createRoute({
  operationId: "getRevision",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}/revisions/{number}",
  summary: "One revision, and how it differs from another",
  request: { params: Numbered, query: RevisionQuery },
  responses: { 200: json(Revision, "The revision.") },
});
const restore = createRoute({
  operationId: "restoreRevision",
  ...needs("agent", "change"),
  method: "post",
  path: "/v1/agents/{id}/revisions/{number}/restore",
  summary: "Save an earlier revision as the newest one, and make it live",
  request: { params: Numbered, body: jsonBody(RevisionRestore) },
  responses: { 200: json(Agent, "The agent as it is live now.") },
});
const labels = createRoute({
  operationId: "listLabels",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}/labels",
  summary: "What is draft, live and canary, and how the runs of each went",
  request: { params: Id },
  responses: { 200: json(AgentLabels, "Labels with their figures.") },
});
const label = createRoute({
  operationId: "setLabel",
  ...needs("agent", "change"),
  method: "post",
  path: "/v1/agents/{id}/labels",
  summary: "Name a revision: `live` promotes it or rolls back, `canary` gives it a share of new sessions",
  request: { params: Id, body: jsonBody(LabelChange) },
  responses: { 200: json(AgentLabels, "Labels with their figures.") },
});

export function revisionRoutes(services: SaveAgentParts) {
  const { revisions } = services;
  const routes = newRoutes("agents");
  routes.openapi(list, async (c) => {
    const found = await revisions.list(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const { limit, cursor, q } = c.req.valid("query");
    const before = readNumberCursor(cursor);
    if (!before.ok) return problem(c, before.failure);
    const { value: last = Number.POSITIVE_INFINITY } = before;
    const matching = found.value.filter(({ by, why }) => hasText(q, by, why));
    const rest = matching.filter(({ number }) => number < last);
    const items = rest.slice(0, limit);
    const next = rest.length > limit ? items.at(-1) : undefined;
    const page = { items, total: matching.length, ...(next && { nextCursor: String(next.number) }) };
    return c.json(wirePage(page, summaryDto), 200);
  });
  routes.openapi(get, async (c) => {
    const { id, number } = c.req.valid("param");
    const found = await revisions.get(id, Number(number));
    if (!found.ok) return problem(c, found.failure);
    const against = c.req.valid("query").against;
    const other = await readCompared(services, id, Number(number), against);
    if (!other.ok) return problem(c, other.failure);
    return c.json(revisionDto(found.value, diffDto(other.value, found.value)), 200);
  });
  routes.openapi(restore, async (c) => {
    const { id, number } = c.req.valid("param");
    const { why, yes } = c.req.valid("json");
    const caller = c.get("caller");
    const live = await ownAgent(services, caller, id);
    if (!live.ok) return problem(c, live.failure);
    const found = await revisions.get(id, Number(number));
    if (!found.ok) return problem(c, found.failure);
    const may = mayGrow(live.value, found.value.agent, yes);
    if (!may.ok) return problem(c, may.failure);
    const saving = { why: why ?? `Restored revision ${number}.`, as: "live" } as const;
    const restored = withRecordedVersions(services, found.value);
    const saved = await saveRestored(services, caller, live.value, restored, saving);
    return saved.ok ? c.json(agentDto(saved.value), 200) : problem(c, saved.failure);
  });
  routes.openapi(labels, async (c) => {
    const found = await revisions.labels(c.req.valid("param").id);
    return found.ok ? c.json({ items: found.value.map(labelDto) }, 200) : problem(c, found.failure);
  });
  routes.openapi(label, async (c) => {
    const { id } = c.req.valid("param");
    const set = await setLabel(services, c.get("caller"), id, c.req.valid("json"));
    if (!set.ok) return problem(c, set.failure);
    const found = await revisions.labels(id);
    return found.ok ? c.json({ items: found.value.map(labelDto) }, 200) : problem(c, found.failure);
  });
  return routes;
}

/** The named revision, or the previous one; undefined for the first. */
async function readCompared(
  { revisions }: SaveAgentParts,
  id: string,
  number: number,
  against: string | undefined,
) {
  if (against !== undefined) return revisions.get(id, Number(against));
  const all = await revisions.list(id);
  if (!all.ok) return all;
  const before = all.value.find((each) => each.number < number);
  return before ? revisions.get(id, before.number) : ok(undefined);
}

/** It stays on the versions that it was saved with, where a newer one is registered and they are still kept. */
function withRecordedVersions(
  { registry }: Pick<SaveAgentParts, "registry">,
  { agent, pins }: RevisionRecord,
): AgentRecord {
  const versions = Object.fromEntries((pins ?? []).map(({ id, version }) => [id, version]));
  return { ...agent, capabilities: onKeptVersions(agent.capabilities, versions, registry) };
}

/** Secrets come back as sealed in that revision. */
const saveRestored = async (
  services: SaveAgentParts,
  caller: Caller,
  live: AgentRecord,
  agent: AgentRecord,
  saving: { readonly why: string; readonly as: "live" },
): Promise<Result<AgentRecord>> =>
  saveAgent(services, caller, inputOf(agent), live, { ...saving, sealed: true });

function inputOf({ id, version, owner, author, status, createdAt, updatedAt, ...input }: AgentRecord) {
  return input;
}

async function ownAgent(
  { agents, sharing }: SaveAgentParts,
  caller: Caller,
  id: string,
): Promise<Result<AgentRecord>> {
  const found = await agents.get(id);
  if (!found.ok || (await mayChange(sharing, id, caller))) return found;
  return fail("forbidden", {
    message: "This agent belongs to someone else and acts with the scopes of all its users.",
    nextStep: "Ask its owner or an admin to change it, or create your own.",
  });
}

function mayGrow(live: AgentRecord, next: AgentRecord, yes: boolean | undefined): Result<true> {
  const grows = rightsGrowth(live, next);
  return grows.length === 0 || yes ? ok(true) : fail("rights_grow", { grows });
}

type Change = z.output<typeof LabelChange>;

async function setLabel(
  services: SaveAgentParts,
  caller: Caller,
  id: string,
  change: Change,
): Promise<Result<true>> {
  const live = await ownAgent(services, caller, id);
  if (!live.ok) return live;
  const { label, revision } = change;
  const set =
    revision === null
      ? await removeLabel(services, live.value, label)
      : await moveLabel(services, caller, live.value, { ...change, revision });
  if (!set.ok) return set;
  const { name, version: from } = live.value;
  const { yes: _, ...facts } = change;
  const details = { name, from, ...facts };
  await services.audit.add({ actor: caller.email, action: set.value, subject: id, details });
  return ok(true);
}

async function removeLabel(
  { revisions }: SaveAgentParts,
  { id }: AgentRecord,
  label: Change["label"],
): Promise<Result<string>> {
  if (label === "live") return fail("input_invalid", { where: "revision: something has to be live" });
  await revisions.removeLabel(id, label);
  return ok("agent.unlabelled");
}

/** Returns what happened, for the audit log. */
async function moveLabel(
  services: SaveAgentParts,
  caller: Caller,
  live: AgentRecord,
  { label, revision, share = CANARY_SHARE, yes }: Change & { readonly revision: number },
): Promise<Result<string>> {
  const { revisions } = services;
  const found = await revisions.get(live.id, revision);
  if (!found.ok) return found;
  const by = caller.email;
  if (label === "draft") {
    const set = await revisions.setLabel(live.id, { label, number: revision, share: 0, by });
    return set.ok ? ok("agent.labelled") : set;
  }
  const may = await mayUse(services, caller, live, found.value.agent, yes);
  if (!may.ok) return may;
  if (label === "canary") {
    const set = await revisions.setLabel(live.id, { label, number: revision, share, by });
    return set.ok ? ok("agent.labelled") : set;
  }
  const promoted = await promote(services, live, revision);
  if (!promoted.ok) return promoted;
  return ok(revision < live.version ? "agent.rolled_back" : "agent.promoted");
}

/** What new sessions will use must still compose and be within the caller's rights; more rights need confirmation. */
async function mayUse(
  services: SaveAgentParts,
  caller: Caller,
  live: AgentRecord,
  next: AgentRecord,
  yes: boolean | undefined,
): Promise<Result<unknown>> {
  const grown = mayGrow(live, next, yes);
  if (!grown.ok) return grown;
  const within = await withinAuthor(services, caller, next, live.id);
  return within.ok ? services.composer.preview(next, caller.email, next.capabilities) : within;
}

async function promote(
  { revisions, releases }: SaveAgentParts,
  live: AgentRecord,
  revision: number,
): Promise<Result<unknown>> {
  if (revision === live.version) return ok(live);
  const promoted = await revisions.promote(live.id, revision);
  return promoted.ok ? releases.current(promoted.value) : promoted;
}
