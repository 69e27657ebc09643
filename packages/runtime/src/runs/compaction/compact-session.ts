/**
 * A summary requested by a person: everything but the last turn, immediately, regardless of the space left. Metered
 * as in a run.
 */
import { fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { inProgram } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { usedUpFacts } from "../../budgets/used-up.ts";
import { readSession, type SessionView } from "../claim/session-view.ts";
import type { Engine } from "../context/run-context.ts";
import { costUsd } from "../context/run-meter.ts";
import { isHarnessed } from "../harness/harness-step.ts";
import type { StoredUsage } from "../log/stored-call.ts";
import { guessMessageTokens, guessTokens } from "../model/fit-conversation.ts";
import { estimateFor } from "../steps/spend.ts";
import { cutBeforeLastTurn } from "../summary/choose-cut.ts";
import { isSummary, type SessionSummary, withSummary } from "../summary/session-summary.ts";
import { askForSummary, completeSummary, type WrittenSummary } from "./write-summary.ts";

export interface CompactRequest {
  readonly by: string;
  readonly signal: AbortSignal;
}

export async function compactSession(
  engine: Engine,
  sessionId: string,
  { by, signal }: CompactRequest,
): Promise<Result<SessionSummary>> {
  const { pool } = engine.parts.database;
  const view = await readSession(pool, sessionId, "");
  if (!view) return fail("not_found", { what: "session", id: sessionId });
  const agent = await agentOf(engine, view);
  if (!agent.ok) return agent;
  const messages = withSummary(view.conversation ?? [], view.summary);
  const cut = cutBeforeLastTurn(messages, isSummary(messages[0]) ? 1 : 0);
  if (cut === undefined)
    return conflict("There is nothing to summarise yet.", "Compact it when it is longer.");
  const covered = messages.slice(0, cut);
  const tools = agent.value.tools;
  const call = {
    engine,
    claim: { sessionId, userEmail: view.owner },
    agent: agent.value,
    tools,
    covered,
    signal,
  };
  const written = await withinBudget(engine, agent.value, view.owner, call);
  if (!written.ok) return written;
  const before = view.summary ?? undefined;
  const parts = { sessionId, agent: agent.value, before, covered, rest: messages.slice(cut) };
  const summary = await completeSummary(pool, parts, written.value.text);
  const stored = summary && (await storeSummary(engine, { sessionId, by, view, summary }, written.value));
  return stored ? ok(summary) : conflict("The conversation changed meanwhile.", "Compact it again.");
}

const conflict = (message: string, nextStep: string) => fail("conflict", { message, nextStep });

async function agentOf(engine: Engine, view: SessionView): Promise<Result<RuntimeAgent>> {
  if (view.active)
    return conflict("A run of this session is active.", "Wait for its end, or cancel it, then compact.");
  if (view.agent_id === null) return conflict("The session has no agent.", "Set its agent_id first.");
  const composed = await engine.agentFor(view.agent_id, view.owner, view.follows);
  if (!composed.ok) return composed;
  const agent = inProgram(composed.value, view.continue_in);
  return isHarnessed(agent)
    ? conflict(
        `${agent.spec.harness} keeps the conversation itself and summarises it when it needs to.`,
        "Compact sessions of agents whose harness is native.",
      )
    : ok(agent);
}

async function withinBudget(
  engine: Engine,
  agent: RuntimeAgent,
  user: string,
  call: Parameters<typeof askForSummary>[0],
): Promise<Result<WrittenSummary>> {
  const { budgets, models } = engine.parts;
  const model = await models.resolve(agent.spec.model);
  if (!model.ok) return model;
  const reservation = uuidv7();
  const inputTokens =
    guessTokens(agent.systemPrompt) +
    call.covered.reduce((sum, message) => sum + guessMessageTokens(message), 0);
  const reserving = await budgets?.reserve(reservation, { agentId: agent.spec.id, user }, async () =>
    estimateFor(model.value, inputTokens),
  );
  if (reserving?.kind === "used_up") return fail("budget_used_up", usedUpFacts(reserving.usedUp));
  if (reserving?.kind === "unpriced")
    return fail("budget_unpriced", { budget: reserving.budget.name, model: model.value.name });
  try {
    const written = await askForSummary(call, model.value);
    if (written.ok) {
      const { usage, prices } = written.value;
      await budgets?.settle(reservation, { costUsd: costUsd(prices, usage), tokens: usage.totalTokens });
    }
    return written;
  } finally {
    await budgets?.release(reservation); // no-op once the reservation is settled
  }
}

/** Refused when its last message is gone, or another summary stands for it. */
const STORE = `with stored as (
    insert into session_summaries(id, session_id, to_position, to_message_id, text, kept, labels, created_by, usage)
    select $1::uuid, $2::uuid, $3::int, $4::text, $5::text, $6::json, $7::jsonb, $8::text, $9::json
    where exists (select 1 from messages where session_id = $2 and position = $3 and id = $4)
    on conflict do nothing returning id)
  insert into usage_fresh(agent_id, model, user_email, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, cost_usd)
  select $10::text, concat_ws('/', $9::json->>'provider', coalesce($9::json->>'model', 'unknown')), $11::text,
    coalesce(($9::json->>'inputTokens')::float8, 0), coalesce(($9::json->>'outputTokens')::float8, 0),
    coalesce(($9::json->>'cachedInputTokens')::float8, 0), coalesce(($9::json->>'reasoningTokens')::float8, 0),
    ($9::json->>'costUsd')::float8
  from stored returning 1`;

interface Storing {
  readonly sessionId: string;
  readonly by: string;
  readonly view: SessionView;
  readonly summary: SessionSummary;
}

async function storeSummary(
  engine: Engine,
  { sessionId, by, view, summary }: Storing,
  { usage, prices, timing }: WrittenSummary,
): Promise<boolean> {
  const { id, toPosition, toMessageId, text, kept, labels } = summary;
  const used = { ...usage, ...(prices && { costUsd: costUsd(prices, usage) }), ...timing } as StoredUsage;
  const { rowCount } = await engine.parts.database.pool.query(STORE, [
    id,
    sessionId,
    toPosition,
    toMessageId,
    text,
    JSON.stringify(kept),
    JSON.stringify(labels),
    by,
    JSON.stringify(used),
    view.agent_id ?? "",
    view.owner,
  ]);
  return (rowCount ?? 0) > 0;
}
