/**
 * /v1/rules: the rules in effect. New ones are checked against the tools they name and can be simulated on recorded
 * calls.
 */
import {
  CallExplanation,
  Rule,
  RuleCheck,
  RuleCheckResult,
  RuleCreate,
  RuleList,
  RulePatch,
  RuleProposal,
  RuleQuery,
  RuleSimulate,
  RuleSimulation,
} from "@capstan/client/wire";
import { type CapabilityRegistry, fail, type Result } from "@capstan/core";
import { narrowestRule, ruleSentence } from "@capstan/core/internal";
import {
  type AuditLog,
  type Composer,
  type Database,
  explainCall,
  type Gate,
  pageInMemory,
  pastCall,
  type RuleRecord,
  type RuleStore,
  type Runs,
  type SessionStore,
  simulateRules,
  type Telemetry,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { isTheirs, ownerFilter, ownSession, seesAll } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { explanationDto, judgedNow } from "./explain-call.ts";
import {
  changedDraft,
  checkedDraft,
  checkedTools,
  forEverybody,
  mayWrite,
  withOwner,
} from "./rule-drafts.ts";
import { checkDto, draftOf, fieldsOf, ruleDto, simulatedDto, simulationDto } from "./rule-dto.ts";

const DAY_MS = 86_400_000;
const SIMULATED_DAYS = 30;
const MOST_CALLS = 5_000;

const list = createRoute({
  operationId: "listRules",
  ...needs("rule", "see"),
  method: "get",
  path: "/v1/rules",
  summary: "Active rules, newest first",
  request: { query: RuleQuery },
  responses: { 200: json(RuleList, "Rules.") },
});
const create = createRoute({
  operationId: "createRule",
  ...needs("rule", "change"),
  method: "post",
  path: "/v1/rules",
  summary: "Create a rule; a tool or an argument that does not exist is refused",
  request: { body: jsonBody(RuleCreate) },
  responses: { 201: json(Rule, "The rule, in force at once.") },
});
const get = createRoute({
  operationId: "getRule",
  ...needs("rule", "see"),
  method: "get",
  path: "/v1/rules/{id}",
  summary: "One rule",
  request: { params: Id },
  responses: { 200: json(Rule, "The rule.") },
});
const change = createRoute({
  operationId: "changeRule",
  ...needs("rule", "change"),
  method: "patch",
  path: "/v1/rules/{id}",
  summary: "Change the fields that are sent; null removes agent, words or expiry",
  request: { params: Id, body: jsonBody(RulePatch) },
  responses: { 200: json(Rule, "The rule as it is now.") },
});
const remove = createRoute({
  operationId: "deleteRule",
  ...needs("rule", "change"),
  method: "delete",
  path: "/v1/rules/{id}",
  summary: "Delete a rule; it stops applying immediately",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});
const check = createRoute({
  operationId: "checkCall",
  ...needs("rule", "see"),
  method: "post",
  path: "/v1/rules/check",
  summary: "What would happen to a call, and why; nothing runs",
  request: { body: jsonBody(RuleCheck) },
  responses: { 200: json(RuleCheckResult, "The decision.") },
});
const simulate = createRoute({
  operationId: "simulateRules",
  ...needs("rule", "change"),
  method: "post",
  path: "/v1/rules/simulate",
  summary: "Try a rule set on recorded calls: newly allowed, asked for, denied; nothing runs",
  request: { body: jsonBody(RuleSimulate) },
  responses: { 200: json(RuleSimulation, "What would change.") },
});
const explain = createRoute({
  operationId: "explainCall",
  ...needs("rule", "see"),
  method: "get",
  path: "/v1/rules/explain/{call_id}",
  summary:
    "A call of the last 30 days: how it was decided, by which rule and why, and what the rules say now",
  request: { params: z.object({ call_id: z.string().min(1).max(200) }) },
  responses: { 200: json(CallExplanation, "The call and its decisions.") },
});
const propose = createRoute({
  operationId: "proposeRule",
  ...needs("rule", "change"),
  method: "get",
  path: "/v1/approvals/{id}/rule",
  summary: "The narrowest rule that would allow a call like this, and what else it would have covered",
  request: { params: Id },
  responses: { 200: json(RuleProposal, "A proposal; nothing is saved.") },
});

export interface RuleRouteParts {
  readonly rules: RuleStore;
  readonly audit: AuditLog;
  readonly registry: CapabilityRegistry;
  readonly composer: Composer;
  readonly gate: Gate;
  readonly database: Database;
  readonly runs: Runs;
  readonly sessions: SessionStore;
  readonly telemetry: Pick<Telemetry, "flush">;
}

export function ruleRoutes(parts: RuleRouteParts) {
  const { rules, audit } = parts;
  const routes = newRoutes("rules");
  routes.openapi(list, async (c) => {
    const { agent_id, then: effect, q, ...page } = c.req.valid("query");
    const found = (await rules.list(agent_id)).filter(
      (rule) =>
        isShown(rule, c.get("caller")) &&
        (effect === undefined || rule.effect === effect) &&
        hasText(q, rule.name, ruleDto(rule).sentence),
    );
    const paged = pageInMemory(found, page, { keyOf: ({ id }) => id });
    return paged.ok ? c.json(wirePage(paged.value, ruleDto), 200) : problem(c, paged.failure);
  });
  routes.openapi(create, async (c) => {
    const { email } = c.get("caller");
    const sent = draftOf(c.req.valid("json"));
    const draft = withOwner(sent, c.req.valid("json").user, c.get("caller"));
    const checked = await checkedDraft(parts, draft, c.get("caller"));
    if (!checked.ok) return problem(c, checked.failure);
    const made = await rules.create(draft, email);
    await audit.add({
      actor: email,
      action: "rule.created",
      subject: made.id,
      details: { ...fieldsOf(made) },
    });
    return c.json(ruleDto(made), 201);
  });
  routes.openapi(get, async (c) => {
    const found = await readShown(rules, c.req.valid("param").id, c.get("caller"));
    return found.ok ? c.json(ruleDto(found.value), 200) : problem(c, found.failure);
  });
  routes.openapi(change, async (c) => {
    const { id } = c.req.valid("param");
    const { email } = c.get("caller");
    const found = await changeable(rules, id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const draft = await changedDraft(parts, ruleDto(found.value), c.req.valid("json"), c.get("caller"));
    if (!draft.ok) return problem(c, draft.failure);
    if (draft.value === undefined) return c.json(ruleDto(found.value), 200);
    const changed = await rules.change(id, draft.value);
    if (!changed.ok) return problem(c, changed.failure);
    await audit.add({
      actor: email,
      action: "rule.changed",
      subject: id,
      details: { ...fieldsOf(changed.value) },
    });
    return c.json(ruleDto(changed.value), 200);
  });
  routes.openapi(remove, async (c) => {
    const { id } = c.req.valid("param");
    const found = await changeable(rules, id, c.get("caller"));
    const gone = found.ok ? await rules.remove(id) : found;
    if (!gone.ok) return problem(c, gone.failure);
    const { email } = c.get("caller");
    await audit.add({
      actor: email,
      action: "rule.deleted",
      subject: id,
      details: { ...fieldsOf(gone.value) },
    });
    return c.body(null, 204);
  });
  addTrials(routes, parts);
  addProposal(routes, parts);
  return routes;
}

/** Routes that try rules and change nothing. */
function addTrials(routes: ReturnType<typeof newRoutes>, parts: RuleRouteParts): void {
  routes.openapi(check, async (c) => {
    const { agent_id: agentId, tool, input, session_id: sessionId, seen, path } = c.req.valid("json");
    if (sessionId !== undefined) {
      const session = await ownSession(parts.sessions, sessionId, c.get("caller"));
      if (!session.ok) return problem(c, session.failure);
    }
    const agent = await parts.composer.showFor(agentId, c.get("caller").email);
    if (!agent.ok) return problem(c, agent.failure);
    const call = {
      agentId,
      tool,
      input,
      user: c.get("caller").email,
      sessionId: sessionId ?? "check",
      path,
      seen: seen && Object.fromEntries(seen.map((label) => [label, supposed])),
    };
    return c.json(checkDto(await explainCall(parts, call)), 200);
  });
  routes.openapi(explain, async (c) => {
    const { call_id: callId } = c.req.valid("param");
    await parts.telemetry.flush(); // knows how the newest calls were decided
    const query = { since: daysAgo(SIMULATED_DAYS), callId, user: ownerFilter(c.get("caller")) };
    const call = await pastCall(parts.database, query);
    const explained = explanationDto(callId, call, await judgedNow(parts, call));
    return explained
      ? c.json(explained, 200)
      : problem(c, fail("not_found", { what: "call", id: callId }).failure);
  });
  routes.openapi(simulate, async (c) => {
    const { rules, since } = c.req.valid("json");
    const drafts = rules.map(draftOf);
    for (const [at, draft] of drafts.entries()) {
      const checked = await checkedTools(parts, draft, c.get("caller").email, `rules[${at}].`);
      if (!checked.ok) return problem(c, checked.failure);
    }
    const set = drafts.map((draft, at) => ({
      ...draft,
      id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
    }));
    const query = {
      since: since ? new Date(since) : daysAgo(SIMULATED_DAYS),
      limit: MOST_CALLS,
      user: ownerFilter(c.get("caller")),
    };
    return c.json(simulationDto(await simulateRules(parts, set, query)), 200);
  });
}

function addProposal(routes: ReturnType<typeof newRoutes>, parts: RuleRouteParts): void {
  routes.openapi(propose, async (c) => {
    const { id } = c.req.valid("param");
    const found = await parts.runs.approvals.get(id);
    if (!found.ok) return problem(c, found.failure);
    const { agentId, userEmail, tool, arguments: args, sessionId } = found.value;
    if (!isTheirs(c.get("caller"), userEmail))
      return problem(c, fail("not_found", { what: "approval", id }).failure);
    if (!seesAll(c.get("caller"))) return problem(c, forEverybody().failure);
    const agent = await parts.composer.showFor(agentId, userEmail);
    if (!agent.ok) return problem(c, agent.failure);
    const known = agent.value.tools.find(({ name }) => name === tool);
    const call = { agentId, tool, input: args, user: userEmail, sessionId: sessionId ?? undefined };
    const { rule: asking } = await explainCall(parts, call);
    const labels = (asking?.when ?? []).flatMap((condition) => ("seen" in condition ? [condition.seen] : []));
    const called = {
      name: tool,
      schema: known?.tool.input.jsonSchema ?? {},
      runsCode: known?.tool.runsCode !== undefined,
    };
    const { open, ...draft } = narrowestRule(called, args, labels);
    const saved = await parts.rules.list();
    const trial = [...saved, { ...draft, agentId, id: crypto.randomUUID() }];
    const { changed } = await simulateRules(parts, trial, {
      since: daysAgo(SIMULATED_DAYS),
      limit: MOST_CALLS,
    });
    const rule = { ...fieldsOf({ ...draft, agentId }), expires_at: daysAgo(-SIMULATED_DAYS).toISOString() };
    const covers = changed.filter(({ after }) => after.effect === "allow").map(simulatedDto);
    return c.json({ rule, sentence: ruleSentence(draft), open: [...open], covers }, 200);
  });
}

/** The source of a label that a check assumes. */
const supposed = { tool: "supposition", at: new Date(0).toISOString() };

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** A user's own rules are shown to that user and to admins. */
const isShown = ({ owner }: RuleRecord, caller: Caller): boolean =>
  owner === undefined || isTheirs(caller, owner);

async function readShown(rules: RuleStore, id: string, caller: Caller): Promise<Result<RuleRecord>> {
  const found = await rules.get(id);
  if (!found.ok) return found;
  return isShown(found.value, caller) ? found : fail("not_found", { what: "rule", id });
}

async function changeable(rules: RuleStore, id: string, caller: Caller): Promise<Result<RuleRecord>> {
  const found = await readShown(rules, id, caller);
  return !found.ok || mayWrite(found.value, caller) ? found : forEverybody();
}
