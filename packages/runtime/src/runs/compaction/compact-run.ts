/**
 * Summarises a conversation that has outgrown the model's context window, before the model is called. The summary and
 * its usage are stored in one commit, fenced like every write of the run; if the process dies first, nothing is
 * stored and the next one tries again.
 */
import type { Result, RuntimeAgent } from "@capstan/core";
import type { ConversationMessage } from "@capstan/core/internal";
import { LAST_MESSAGES } from "../claim/claim-statements.ts";
import type { RunContext } from "../context/run-context.ts";
import { askInOrder, modelNames } from "../model/fallback.ts";
import { conversationLimit, guessMessageTokens } from "../model/fit-conversation.ts";
import type { SegmentEnd } from "../steps/run-endings.ts";
import { modelEstimate, releaseBudgets, reserveBudgets, settleAnswer } from "../steps/spend.ts";
import { chooseCut } from "../summary/choose-cut.ts";
import { isSummary, type SessionSummary, summaryMessage } from "../summary/session-summary.ts";
import { askForSummary, completeSummary, type WrittenSummary } from "./write-summary.ts";

const MOST_MESSAGES = LAST_MESSAGES - 60; // beyond this, a claim would read only the end, without a summary
const MOST_FAILURES = 2; // in one segment; then old turns are left out instead

/** Undefined when the run continues, with a shorter conversation or the same one. */
export async function compactRun(context: RunContext, agent: RuntimeAgent): Promise<SegmentEnd | undefined> {
  const cut = await cutFor(context, agent);
  if (cut === undefined) return undefined;
  const stopped = await reserveBudgets(context, agent, () => modelEstimate(context, agent));
  if (stopped) return stopped;
  const written = await writeSummary(context, agent, cut).catch(async (error) => {
    await releaseBudgets(context).catch(() => {});
    throw error;
  });
  if (!written.ok) {
    await releaseBudgets(context);
    context.summaryFailures++;
    context.warn(
      `The conversation could not be summarised: ${written.failure.message} Its oldest part is left out.`,
    );
    return undefined;
  }
  await settleAnswer(context, written.value);
  await storeSummary(context, agent, cut, written.value);
  return undefined;
}

async function cutFor(context: RunContext, agent: RuntimeAgent): Promise<number | undefined> {
  const { enabled, at, keep } = agent.spec.compaction;
  if (!enabled || context.summaryFailures >= MOST_FAILURES) return undefined;
  const model = await context.engine.parts.models.resolve(modelNames(context, agent)[0]);
  if (!model.ok) return undefined; // the model call reports the reason
  const { messages } = context;
  const limit = conversationLimit(agent, model.value, context.visibleTools(agent));
  const tokens = messages.reduce((sum, message) => sum + guessMessageTokens(message), 0);
  if (tokens <= limit * at && messages.length <= MOST_MESSAGES) return undefined;
  return chooseCut(messages, {
    keepTokens: limit * keep,
    tokensOf: guessMessageTokens,
    summarised: isSummary(messages[0]) ? 1 : 0,
  });
}

async function writeSummary(
  context: RunContext,
  agent: RuntimeAgent,
  cut: number,
): Promise<Result<WrittenSummary>> {
  const { engine, claim, signal, log, meter } = context;
  const stepName = `summary-${meter.usage.steps + 1}`;
  log.emit({ type: "STEP_STARTED", stepName });
  const covered = context.messages.slice(0, cut);
  const tools = context.visibleTools(agent);
  const written = await askInOrder(context, agent, (model) =>
    askForSummary({ engine, claim, agent, tools, covered, signal }, model),
  );
  log.emit({ type: "STEP_FINISHED", stepName });
  return written;
}

async function storeSummary(
  context: RunContext,
  agent: RuntimeAgent,
  cut: number,
  { text, usage, prices, timing }: WrittenSummary,
): Promise<void> {
  const { log, claim, messages, meter, engine } = context;
  const { pool } = engine.parts.database;
  await log.commit(); // its messages have positions now
  const covered = messages.slice(0, cut);
  const rest = messages.slice(cut);
  const parts = { sessionId: claim.sessionId, agent, before: context.summary, covered, rest };
  const summary = await completeSummary(pool, parts, text);
  if (!summary) return;
  const { pinned: _, ...row } = summary;
  log.emit(summarised(summary));
  await log.commit([], { summary: { ...row, usage: { ...meter.add(usage, prices), ...timing } } });
  context.summary = summary;
  messages.splice(0, cut, summaryMessage(summary), ...questionIn(covered, rest));
}

/** The message to answer stays, also when the summary stands for it. */
function questionIn(
  covered: readonly ConversationMessage[],
  rest: readonly ConversationMessage[],
): ConversationMessage[] {
  const isQuestion = (message: ConversationMessage) => message.role === "user" && !isSummary(message);
  const question = rest.some(isQuestion) ? undefined : covered.findLast(isQuestion);
  return question ? [question] : [];
}

/** Clients show it where it happened; the messages themselves stay as they are. */
const summarised = ({ id, toPosition, toMessageId }: SessionSummary) => ({
  type: "ACTIVITY_SNAPSHOT" as const,
  messageId: `summary-${id}`,
  activityType: "SUMMARY",
  content: { summary_id: id, messages: toPosition + 1, to_message_id: toMessageId },
  replace: true,
});
