/**
 * Asks a model for the summary of a part of a conversation, and combines it with the messages kept word for word.
 * Text checks apply to it as to any answer; it is not streamed.
 */
import { fail, ok, type Result, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
import { type ConversationMessage, textOf } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { labelNames, labelStore } from "../../labels/session-labels.ts";
import type { ResolvedModel } from "../../providers/models.ts";
import type { CallTiming } from "../log/stored-call.ts";
import { conversationLimit, fitConversation, replacingTools } from "../model/fit-conversation.ts";
import { functionTools } from "../model/function-tools.ts";
import { DEFAULT_RETRY, judgeModelError } from "../model/model-retry.ts";
import { toPrompt } from "../model/prompt.ts";
import { type Checking, streamChecked } from "../model/stream-checked.ts";
import type { ModelAnswer } from "../model/stream-model.ts";
import { wait } from "../model/wait.ts";
import { keptFacts, withoutDecisions } from "../summary/kept-facts.ts";
import { NOTHING_KEPT, type SessionSummary } from "../summary/session-summary.ts";
import { plainDigest, summaryRequest } from "../summary/summary-prompt.ts";

const MOST_CHARS = 40_000;
const MOST_WAIT_MS = 10_000; // the run can continue without a summary
const ATTEMPTS = 3;

export interface SummaryCall extends Checking {
  readonly agent: RuntimeAgent;
  readonly tools: readonly RuntimeTool[];
  /** The messages that the summary replaces, including an earlier summary. */
  readonly covered: readonly ConversationMessage[];
  readonly signal: AbortSignal;
}

export interface WrittenSummary extends Pick<ModelAnswer, "usage"> {
  readonly text: string;
  readonly prices: ResolvedModel["prices"];
  readonly timing: CallTiming;
}

export async function askForSummary(
  call: SummaryCall,
  model: ResolvedModel,
): Promise<Result<WrittenSummary>> {
  const { engine, signal } = call;
  const startedAt = engine.now().toISOString();
  const started = performance.now();
  const policy = { ...DEFAULT_RETRY, ...engine.parts.retry, attempts: ATTEMPTS };
  for (let attempt = 1; ; attempt++) {
    try {
      const { answer, heldBy } = await streamSummary(call, model);
      if (heldBy) return fail("text_blocked", { check: heldBy.name, words: heldBy.words });
      const durationMs = Math.round(performance.now() - started);
      return ok({
        text: textIn(answer, call.covered),
        usage: answer.usage,
        prices: model.prices,
        timing: { startedAt, durationMs, attempts: attempt, sentMessages: call.covered.length + 1 },
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const verdict = judgeModelError({
        error,
        provider: model.provider,
        attempt,
        policy,
        leftMs: MOST_WAIT_MS,
        now: engine.now(),
        jitter: Math.random(),
      });
      if (verdict.kind === "end") return { ok: false, failure: verdict.failure };
      await wait(verdict.waitMs, signal);
    }
  }
}

/** A model may call a tool instead; its call is not made. */
function textIn({ parts }: ModelAnswer, covered: readonly ConversationMessage[]): string {
  const text = textOf({ id: "", role: "assistant", content: parts }).trim();
  return (text === "" ? plainDigest(covered) : text).slice(0, MOST_CHARS);
}

/** The same prefix as earlier calls, which the provider has cached. */
async function streamSummary(call: SummaryCall, model: ResolvedModel) {
  const { agent, tools, covered, engine, claim, signal } = call;
  const messages = fitConversation(covered, agent, conversationLimit(agent, model, tools));
  const prompt = await toPrompt({
    systemPrompt: agent.systemPrompt,
    messages: [...messages, summaryRequest()],
    model,
    sessionId: claim.sessionId,
    readFile: engine.parts.readFile,
    warn: () => {},
  });
  return streamChecked(call, agent, {
    model,
    options: {
      prompt,
      abortSignal: signal,
      ...functionTools(tools),
      ...(model.callOptions && { providerOptions: model.callOptions }),
      ...(agent.spec.thinkingEffort && { reasoning: agent.spec.thinkingEffort }),
    },
    messageId: "summary",
    usedCallIds: new Set(),
    emit: () => {},
  });
}

/** Answers of people to approvals, oldest first. */
const DECISIONS = `select tool, status, decided_by, words, arguments from (
    select id, tool, status, decided_by, words, left(coalesce(edited_arguments, arguments)::text, 200) as arguments
    from approvals where session_id = $1 and kind = 'tool' and status in ('approved', 'denied') and decided_by is not null
    order by id desc limit 50) newest order by id`;

interface DecisionRow {
  readonly tool: string;
  readonly status: string;
  readonly decided_by: string;
  readonly words: string | null;
  readonly arguments: string;
}

const decisionText = (row: DecisionRow): string =>
  `${row.decided_by} ${row.status} ${row.tool}(${row.arguments})${row.words ? `: "${row.words}"` : ""}`;

const PLACE =
  "select position from messages where session_id = $1 and id = $2 order by position desc limit 1";
const PINNED = `select position, id, role, content from messages
  where session_id = $1 and position <= $2 and pinned_at is not null order by position`;

export interface Covering {
  readonly sessionId: string;
  readonly agent: RuntimeAgent;
  readonly before: SessionSummary | undefined;
  readonly covered: readonly ConversationMessage[];
  readonly rest: readonly ConversationMessage[];
}

/** Undefined when the last covered message is gone, as after a rewind. */
export async function completeSummary(
  pool: Pick<pg.Pool, "query">,
  { sessionId, agent, before, covered, rest }: Covering,
  answer: string,
): Promise<SessionSummary | undefined> {
  const toMessageId = covered.at(-1)?.id ?? "";
  const place = await pool.query<{ position: number }>(PLACE, [sessionId, toMessageId]);
  const toPosition = place.rows[0]?.position;
  if (toPosition === undefined) return undefined;
  const { text, decisions } = withoutDecisions(answer);
  const answered = await pool.query<DecisionRow>(DECISIONS, [sessionId]);
  const pinned = await pool.query(PINNED, [sessionId, toPosition]);
  return {
    id: uuidv7(),
    toPosition,
    toMessageId,
    text,
    kept: keptFacts({
      covered,
      rest,
      before: before?.kept ?? NOTHING_KEPT,
      replacing: replacingTools(agent),
      decisions: [...answered.rows.map(decisionText), ...decisions],
    }),
    labels: labelNames(await labelStore(pool).read(sessionId)),
    pinned: pinned.rows,
  };
}
