/** /v1/text-checks: checks on model output, tested on a text before they are saved. */
import {
  listQueries,
  TextCheck,
  TextCheckCreate,
  TextCheckList,
  TextTrial,
  TextTrialResult,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  asksAbout,
  type CompiledCheck,
  checkLine,
  checkSentence,
  includesRight,
  rightFor,
} from "@capstan/core/internal";
import {
  type AgentSharings,
  type AgentStore,
  type AuditLog,
  compileTextFind,
  isModelCheck,
  pageInMemory,
  type TextCheckDraft,
  type TextCheckRecord,
  type TextCheckStore,
  type TextTrialParts,
  tryByModel,
} from "@capstan/runtime";
import { createRoute, type z } from "@hono/zod-openapi";
import { usableAgents } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import type { ServerModels } from "../models/models.ts";

const list = createRoute({
  operationId: "listTextChecks",
  ...needs("text check", "see"),
  method: "get",
  path: "/v1/text-checks",
  summary: "Checks on what models say, newest first",
  request: { query: listQueries.TextCheckQuery },
  responses: { 200: json(TextCheckList, "Checks.") },
});
const create = createRoute({
  operationId: "createTextCheck",
  ...needs("text check", "change"),
  method: "post",
  path: "/v1/text-checks",
  summary: "Create a check; it applies to the next answer",
  request: { body: jsonBody(TextCheckCreate) },
  responses: { 201: json(TextCheck, "The check.") },
});
const remove = createRoute({
  operationId: "deleteTextCheck",
  ...needs("text check", "change"),
  method: "delete",
  path: "/v1/text-checks/{id}",
  summary: "Delete a check; it stops applying immediately",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});
const trial = createRoute({
  operationId: "tryTextChecks",
  ...needs("text check", "see"),
  method: "post",
  path: "/v1/text-checks/try",
  summary: "What would happen to a text, with the current checks or others; nothing is sent",
  request: { body: jsonBody(TextTrial) },
  responses: { 200: json(TextTrialResult, "The decision, and the text as it would be sent.") },
});

export interface TextCheckRouteParts {
  readonly textChecks: TextCheckStore;
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly audit: AuditLog;
  readonly models: Pick<ServerModels, "resolve">;
  readonly ledger: TextTrialParts["ledger"];
}

export function textCheckRoutes(parts: TextCheckRouteParts) {
  const { textChecks, agents, sharing, audit, models } = parts;
  const routes = newRoutes("text checks");
  routes.openapi(list, async (c) => {
    const { agent_id, then: effect, q, ...rest } = c.req.valid("query");
    const found = (await textChecks.list()).filter(
      (check) =>
        (agent_id === undefined || (check.agentId ?? agent_id) === agent_id) &&
        (effect === undefined || check.effect === effect) &&
        hasText(q, check.name, checkSentence(check)),
    );
    const page = pageInMemory(found, rest, { keyOf: ({ id }) => id });
    return page.ok ? c.json(wirePage(page.value, dto), 200) : problem(c, page.failure);
  });
  routes.openapi(create, async (c) => {
    const { email: actor } = c.get("caller");
    const draft = draftOf(c.req.valid("json"));
    const agent = draft.agentId === undefined ? ok(true) : await agents.get(draft.agentId);
    if (!agent.ok) return problem(c, agent.failure);
    const model = "model" in draft.find ? await models.resolve(draft.find.model) : ok(true);
    if (!model.ok) return problem(c, model.failure);
    const made = await textChecks.create(draft, actor);
    if (!made.ok) return problem(c, made.failure);
    await audit.add({
      actor,
      action: "text_check.created",
      subject: made.value.id,
      details: dto(made.value),
    });
    return c.json(dto(made.value), 201);
  });
  routes.openapi(remove, async (c) => {
    const { email: actor } = c.get("caller");
    const gone = await textChecks.remove(c.req.valid("param").id);
    if (!gone.ok) return problem(c, gone.failure);
    await audit.add({
      actor,
      action: "text_check.deleted",
      subject: gone.value.id,
      details: dto(gone.value),
    });
    return c.body(null, 204);
  });
  routes.openapi(trial, async (c) => {
    const { text, agent_id, checks } = c.req.valid("json");
    const named = [agent_id, ...(checks ?? []).map((check) => check.agent_id)];
    const known = await usableAgents(sharing, named, c.get("caller"));
    if (!known.ok) return problem(c, known.failure);
    const tried = checks
      ? compileAll(checks.map(draftOf))
      : ok(await textChecks.inForce(agent_id ?? "", new Date()));
    if (!tried.ok) return problem(c, tried.failure);
    const decided = await tryChecks(parts, c.get("caller"), { text, agentId: agent_id, checks: tried.value });
    return decided.ok ? c.json(decided.value, 200) : problem(c, decided.failure);
  });
  return routes;
}

function compileAll(drafts: readonly TextCheckDraft[]): Result<CompiledCheck[]> {
  const compiled: CompiledCheck[] = [];
  for (const [at, draft] of drafts.entries()) {
    const find = compileTextFind(draft.find);
    if (!find.ok) return find;
    compiled.push({ check: { ...draft, id: String(at) }, find: find.value });
  }
  return ok(compiled);
}

function decide(text: string, checks: readonly CompiledCheck[]): TextTrialResult {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const checked = checkLine(line, checks);
    if (checked.kind === "blocked") return { decision: "block", check: checked.check.name, text: null };
    lines.push(checked.line);
  }
  const said = lines.join("\n");
  const asks = asksAbout(said, checks);
  if (asks) return { decision: "ask", check: asks.name, text: said };
  if (said === text) return { decision: "pass", check: null, text };
  const masks = checks.find(({ find }) => text.split("\n").some((line) => find(line).length > 0));
  return { decision: "mask", check: masks?.check.name ?? null, text: said };
}

/** Asking a model requires the right to use it; reading is not enough. */
function checkModels(checks: readonly CompiledCheck[], { rights }: Caller): Result<true> {
  const model = checks.find(({ check }) => isModelCheck(check));
  const needed = rightFor("run", "use");
  if (model === undefined || (needed !== undefined && includesRight(rights, needed))) return ok(true);
  return fail("forbidden", {
    message: `"${model.check.name}" asks a model, and a key that may only read makes no model work.`,
    nextStep: "Use a key with the right `run`, or try checks without a model.",
  });
}

interface Trial {
  readonly text: string;
  readonly agentId: string | undefined;
  readonly checks: readonly CompiledCheck[];
}

async function tryChecks(
  parts: Pick<TextCheckRouteParts, "models" | "ledger">,
  caller: Caller,
  { text, agentId = "", checks }: Trial,
): Promise<Result<TextTrialResult>> {
  const mayAsk = checkModels(checks, caller);
  if (!mayAsk.ok) return mayAsk;
  return decideByModels(parts, { agentId, user: caller.email }, decide(text, checks), checks);
}

/** Models read what the other checks let pass. */
async function decideByModels(
  parts: Pick<TextCheckRouteParts, "models" | "ledger">,
  spender: Parameters<typeof tryByModel>[1],
  first: TextTrialResult,
  checks: readonly CompiledCheck[],
): Promise<Result<TextTrialResult>> {
  let decided = first;
  for (const { check } of checks) {
    if (decided.text === null || !isModelCheck(check)) continue;
    const verdict = await tryByModel(parts, spender, check, decided.text);
    if (!verdict.ok) return verdict;
    if (verdict.value === "blocked") return ok({ decision: "block", check: check.name, text: null });
    const { text, found } = verdict.value;
    const isStricter = found && decided.decision !== "ask";
    decided = isStricter ? { decision: check.effect, check: check.name, text } : { ...decided, text };
  }
  return ok(decided);
}

const draftOf = ({
  name,
  agent_id,
  find,
  then: effect,
  words,
  expires_at,
}: z.output<typeof TextCheckCreate>): TextCheckDraft => ({
  name,
  find,
  effect,
  agentId: agent_id ?? undefined,
  words: words ?? undefined,
  expiresAt: expires_at ? new Date(expires_at) : undefined,
});

const dto = ({ id, name, agentId, find, effect, words, expiresAt, ...made }: TextCheckRecord): TextCheck => ({
  id,
  name,
  agent_id: agentId ?? null,
  find: find as TextCheck["find"],
  then: effect,
  words: words ?? null,
  expires_at: expiresAt?.toISOString() ?? null,
  sentence: checkSentence({ find, effect }),
  created_by: made.createdBy,
  created_at: made.createdAt.toISOString(),
});
