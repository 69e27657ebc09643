/** /v1/budgets: limits per day, week or month, what was spent, and a forecast. */
import { Budget, BudgetCreate, BudgetList, BudgetPatch, listQueries } from "@capstan/client/wire";
import { type CapabilityRegistry, fail, ok, type Result } from "@capstan/core";
import { budgetFault, budgetSentence } from "@capstan/core/internal";
import {
  type AgentStore,
  type AuditLog,
  type BudgetDraft,
  type BudgetRecord,
  type BudgetStore,
  OPERATOR,
  pageInMemory,
  type Runs,
} from "@capstan/runtime";
import { createRoute, type z } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { changesOf, mergedWith } from "../http/sent-back.ts";
import { budgetDto, draftOf, fieldsOf } from "./budget-dto.ts";

/** They change by themselves: not compared when a budget is sent back. */
const FIGURES = ["period_start", "period_end", "spending"];
const list = createRoute({
  operationId: "listBudgets",
  ...needs("budget", "see"),
  method: "get",
  path: "/v1/budgets",
  summary: "Budgets with what was spent in the current period, newest first",
  request: { query: listQueries.BudgetQuery },
  responses: { 200: json(BudgetList, "Budgets.") },
});
const create = createRoute({
  operationId: "createBudget",
  ...needs("budget", "change"),
  method: "post",
  path: "/v1/budgets",
  summary: "Create a budget; what was spent in its period already counts",
  request: { body: jsonBody(BudgetCreate) },
  responses: { 201: json(Budget, "The budget, in force at once.") },
});
const get = createRoute({
  operationId: "getBudget",
  ...needs("budget", "see"),
  method: "get",
  path: "/v1/budgets/{id}",
  summary: "One budget",
  request: { params: Id },
  responses: { 200: json(Budget, "The budget.") },
});
const change = createRoute({
  operationId: "changeBudget",
  ...needs("budget", "change"),
  method: "patch",
  path: "/v1/budgets/{id}",
  summary: "Change the fields that are sent; null removes agent, user, capability or for_each",
  request: { params: Id, body: jsonBody(BudgetPatch) },
  responses: { 200: json(Budget, "The budget as it is now.") },
});
const remove = createRoute({
  operationId: "deleteBudget",
  ...needs("budget", "change"),
  method: "delete",
  path: "/v1/budgets/{id}",
  summary: "Delete a budget; it stops applying immediately",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});

export interface BudgetRouteParts {
  readonly budgets: BudgetStore;
  readonly audit: AuditLog;
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly runs: Pick<Runs, "approvals">;
  /** Refuses an address that no delivery could reach. */
  readonly fetch: { readonly check: (url: string) => Promise<Result<unknown>> };
}

export function budgetRoutes(parts: BudgetRouteParts) {
  const { budgets, audit } = parts;
  const routes = newRoutes("budgets");
  const dto = async (budget: BudgetRecord, caller: Caller): Promise<Budget | undefined> => {
    const state = (await budgets.states(budget.id)).get(budget.id);
    return state && budgetDto(budget, state, { seenBy: ownerFilter(caller), now: new Date() });
  };
  const note = (action: string, caller: Caller, budget: BudgetRecord) =>
    audit.add({ actor: caller.email, action, subject: budget.id, details: fieldsOf(budget) });
  const gone = (id: string) => fail("not_found", { what: "budget", id }).failure;
  routes.openapi(list, async (c) => {
    const seenBy = ownerFilter(c.get("caller"));
    const { limit, cursor, ...filter } = c.req.valid("query");
    const [found, states] = await Promise.all([budgets.list(), budgets.states()]);
    const shown = found.flatMap((budget) => {
      const state = states.get(budget.id);
      return state && isShown(budget, seenBy) && isAskedFor(budget, filter) ? [{ ...budget, state }] : [];
    });
    const page = pageInMemory(shown, { limit, cursor }, { keyOf: ({ id }) => id });
    if (!page.ok) return problem(c, page.failure);
    const now = new Date();
    return c.json(
      wirePage(page.value, ({ state, ...budget }) => budgetDto(budget, state, { seenBy, now })),
      200,
    );
  });
  routes.openapi(create, async (c) => {
    const caller = c.get("caller");
    const draft = await checkedDraft(parts, draftOf(c.req.valid("json")));
    if (!draft.ok) return problem(c, draft.failure);
    const made = await budgets.create(draft.value, caller.email);
    await note("budget.created", caller, made);
    const body = await dto(made, caller);
    return body ? c.json(body, 201) : problem(c, gone(made.id));
  });
  routes.openapi(get, async (c) => {
    const { id } = c.req.valid("param");
    const found = await budgets.get(id);
    if (!found.ok) return problem(c, found.failure);
    const caller = c.get("caller");
    const body = isShown(found.value, ownerFilter(caller)) ? await dto(found.value, caller) : undefined;
    return body ? c.json(body, 200) : problem(c, gone(id));
  });
  routes.openapi(change, async (c) => {
    const { id } = c.req.valid("param");
    const caller = c.get("caller");
    const found = await changeable(budgets, id);
    if (!found.ok) return problem(c, found.failure);
    const draft = await changedDraft(parts, await dto(found.value, caller), c.req.valid("json"));
    if (!draft.ok) return problem(c, draft.failure);
    const changed = draft.value ? await budgets.change(id, draft.value) : found;
    if (!changed.ok) return problem(c, changed.failure);
    if (draft.value) {
      await note("budget.changed", caller, changed.value);
      await parts.runs.approvals.releaseBudget({ budgetId: id }, caller.email);
    }
    const body = await dto(changed.value, caller);
    return body ? c.json(body, 200) : problem(c, gone(id));
  });
  routes.openapi(remove, async (c) => {
    const { id } = c.req.valid("param");
    const found = await changeable(budgets, id);
    const removed = found.ok ? await budgets.remove(id) : found;
    if (!removed.ok) return problem(c, removed.failure);
    await note("budget.deleted", c.get("caller"), removed.value);
    await parts.runs.approvals.releaseBudget({ budgetId: id }, c.get("caller").email);
    return c.body(null, 204);
  });
  return routes;
}

async function changeable(budgets: BudgetStore, id: string): Promise<Result<BudgetRecord>> {
  const found = await budgets.get(id);
  return found.ok && found.value.createdBy === OPERATOR
    ? fail("organisation_of_operator", { what: "Limits of the operator" })
    : found;
}

/** Undefined: nothing changes. */
async function changedDraft(
  parts: BudgetRouteParts,
  current: Budget | undefined,
  patch: z.output<typeof BudgetPatch>,
): Promise<Result<BudgetDraft | undefined>> {
  if (!current) return fail("not_found", { what: "budget", id: patch.id ?? "" });
  const changes = changesOf({ schema: BudgetPatch, what: "budget", current, figures: FIGURES }, patch);
  if (!changes.ok || Object.keys(changes.value).length === 0) return changes.ok ? ok(undefined) : changes;
  const merged = mergedWith(BudgetCreate, current, changes.value);
  return merged.ok ? checkedDraft(parts, draftOf(merged.value)) : merged;
}

const isAskedFor = (
  budget: BudgetRecord,
  { agent_id, user, measure, q }: Omit<z.output<typeof listQueries.BudgetQuery>, "limit" | "cursor">,
): boolean =>
  (agent_id === undefined || (budget.agentId ?? agent_id) === agent_id) &&
  (user === undefined || budget.user === user) &&
  (measure === undefined || budget.measure === measure) &&
  hasText(q, budget.name, budgetSentence(budget));

/** A budget of one user is shown to that user and to admins. */
const isShown = ({ user }: BudgetRecord, seenBy: string | undefined): boolean =>
  seenBy === undefined || user === undefined || user === seenBy;

/** A budget of an agent or a capability that does not exist would never count, and nobody would notice. */
async function checkedDraft(
  { agents, registry, fetch }: BudgetRouteParts,
  draft: BudgetDraft,
): Promise<Result<BudgetDraft>> {
  const { agentId, capabilityId, webhookUrl } = draft;
  const fault = budgetFault(draft);
  if (fault !== undefined) return fail("input_invalid", { where: fault });
  if (webhookUrl !== undefined) {
    const reachable = await fetch.check(webhookUrl);
    if (!reachable.ok) return reachable;
  }
  if (agentId !== undefined) {
    const agent = await agents.get(agentId);
    if (!agent.ok) return agent;
  }
  const capability = capabilityId === undefined ? ok(true) : registry.get(capabilityId);
  return capability.ok ? ok(draft) : capability;
}
