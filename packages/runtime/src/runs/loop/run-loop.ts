/**
 * The loop of a run. Whoever claims a segment (`claim/`) runs it here:
 *
 *   compose the agent, call the tools that have no result yet, ask the model, store its answer, repeat;
 *
 * until the model answers without calls, or a call has to wait, or a limit is reached. The stored conversation is the
 * only state: a segment that was killed is claimed again, reads the same rows and does what is missing.
 */
import { fail, type RunEvent, type RuntimeAgent } from "@capstan/core";
import { type ConversationMessage, CUSTOM_EVENTS, pendingCalls } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { isDatabaseAway } from "../../db/database-away.ts";
import { compactRun } from "../compaction/compact-run.ts";
import type { RunContext } from "../context/run-context.ts";
import { harnessStep, isHarnessed } from "../harness/harness-step.ts";
import type { IdleHarnesses } from "../harness/idle-harnesses.ts";
import type { MessageToStore } from "../log/run-log.ts";
import { storedCall } from "../log/stored-call.ts";
import { unfinishedBlocks } from "../log/unfinished-blocks.ts";
import { askModel, emitMessages, type StepAnswer } from "../model/ask-model.ts";
import { labelBroughtHistory } from "../steps/brought-history.ts";
import { callTools, mayRunAgain } from "../steps/call-tools.ts";
import { holdAnswer, releasedAnswer } from "../steps/held-answer.ts";
import { concludeRun, failRun, handOverRun, type SegmentEnd, suspendRun } from "../steps/run-endings.ts";
import { modelEstimate, releaseBudgets, reserveBudgets, settleAnswer } from "../steps/spend.ts";
import { nothingWaits } from "../steps/waits.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const MOST_ATTEMPTS = 20; // claims without a stored message: this run crashes every process that claims it

/** The run's time limit is reached; work in progress stops. */
class TimeLimitReached extends Error {}

/** Runs a claimed segment to its end, within the run's time limit. `events`: those it wrote before a crash. */
export async function runSegment(
  context: RunContext,
  idleHarnesses: IdleHarnesses,
  events: readonly RunEvent[],
): Promise<SegmentEnd> {
  const { meter, stop } = context;
  await (events.length > 0 ? recover(context, events) : emitBranch(context));
  const { attempts } = context.claim;
  if (attempts > MOST_ATTEMPTS) return failRun(context, fail("run_gave_up", { attempts }).failure);
  const leftMs = Math.max(0, Math.min(meter.leftMs, LONGEST_TIMER_MS));
  const timer = setTimeout(() => stop.abort(new TimeLimitReached()), leftMs);
  try {
    return await runLoop(context, idleHarnesses);
  } catch (error) {
    return await failBy(context, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends the run for an error of its own; rethrows what stopped it from outside. */
async function failBy(context: RunContext, error: unknown): Promise<SegmentEnd> {
  const { meter, stop, log } = context;
  if (log.error !== undefined) throw log.error;
  if (error instanceof TimeLimitReached) {
    return failRun(context, fail("run_time_limit", { limitSeconds: meter.limits.maxSeconds }).failure);
  }
  if (stop.signal.aborted) throw stop.signal.reason;
  if (isDatabaseAway(error)) throw error; // rows are consistent; the run resumes from them after reconnect
  const reference = uuidv7();
  context.engine.parts.onError?.(error, `run ${context.claim.runId}, reference ${reference}`);
  return failRun(context, fail("run_broken", { reference }).failure);
}

async function runLoop(context: RunContext, idleHarnesses: IdleHarnesses): Promise<SegmentEnd> {
  for (let isLabelled = false; ; isLabelled = true) {
    const agent = await context.agent();
    if (!agent.ok) return failRun(context, agent.failure);
    if (!isLabelled) await labelBroughtHistory(context, agent.value);
    const end = isHarnessed(agent.value)
      ? await harnessStep(context, agent.value, idleHarnesses)
      : await nativeStep(context, agent.value);
    if (end) return end;
  }
}

/** One round of the loop: pending calls, or else the model. Undefined when the loop continues. */
async function nativeStep(context: RunContext, agent: RuntimeAgent): Promise<SegmentEnd | undefined> {
  context.harness = undefined; // an earlier agent of this session may have had one
  const calls = pendingCalls(context.messages);
  if (calls.length > 0) {
    context.seen.toolCalls = true;
    context.seen.parallelCalls ||= calls.length > 1;
    const waits = await callTools(context, agent, calls);
    return nothingWaits(waits) ? undefined : suspendRun(context, waits);
  }
  if (context.engine.draining()) return handOverRun(context);
  const { exceeded } = context.meter;
  if (exceeded) return failRun(context, exceeded);
  const released = await releasedAnswer(context);
  if (released)
    return released.ok ? storeAnswer(context, agent, released.value) : failRun(context, released.failure);
  const stopped =
    (await compactRun(context, agent)) ??
    (await reserveBudgets(context, agent, () => modelEstimate(context, agent)));
  return stopped ?? askAndStore(context, agent);
}

async function askAndStore(context: RunContext, agent: RuntimeAgent): Promise<SegmentEnd | undefined> {
  const answer = await askModel(context, agent).catch(async (error) => {
    await releaseBudgets(context).catch(() => {}); // the error of the call is what counts
    throw error;
  });
  if (!answer.ok) {
    await countBlocked(context);
    await releaseBudgets(context);
    return failRun(context, answer.failure);
  }
  await settleAnswer(context, answer.value);
  const { heldBy } = answer.value;
  return heldBy
    ? holdAnswer(context, agent, answer.value, heldBy)
    : storeAnswer(context, agent, answer.value);
}

/** A whole answer that a check blocked was paid for. */
async function countBlocked(context: RunContext): Promise<void> {
  const { blocked, meter } = context;
  if (!blocked) return;
  context.blocked = undefined;
  meter.add(blocked.usage, blocked.prices, blocked.costUsd);
  await settleAnswer(context, blocked);
}

async function storeAnswer(
  context: RunContext,
  agent: RuntimeAgent,
  answer: StepAnswer,
): Promise<SegmentEnd | undefined> {
  const { seen, meter } = context;
  seen.reasoning ||= answer.parts.some(({ type }) => type === "reasoning");
  seen.encryptedReasoning ||= answer.parts.some((part) => part.type === "reasoning" && part.providerOptions);
  if (answer.finish === "length") context.warn("The answer was cut off at the model's output limit.");
  if (answer.finish === "content-filter") context.warn("The provider's content filter stopped the answer.");
  const message: ConversationMessage = { id: answer.messageId, role: "assistant", content: answer.parts };
  const stored: MessageToStore = {
    message,
    usage: storedCall(meter.add(answer.usage, answer.prices, answer.costUsd), answer.timing),
  };
  context.messages.push(message);
  const calls = pendingCalls(context.messages);
  if (calls.length === 0) return concludeRun(context, stored);
  if (calls.every(({ toolName }) => mayRunAgain(agent, toolName))) context.log.stage([stored]);
  else await context.log.commit([stored]);
  return undefined;
}

/** After a rewind, tells every client what the conversation is now and which session keeps the replaced messages. */
async function emitBranch(context: RunContext): Promise<void> {
  const { input, segment } = context.claim;
  if (input.branchSessionId === undefined || segment > 0) return;
  await emitMessages(context);
  context.log.emit({
    type: "CUSTOM",
    name: CUSTOM_EVENTS.rewound,
    value: { branch_session_id: input.branchSessionId },
  });
}

/** Ends the blocks that a crash left unfinished and tells every client what is stored. */
async function recover(context: RunContext, events: readonly RunEvent[]): Promise<void> {
  for (const event of unfinishedBlocks(events).closingEvents) context.log.emit(event);
  await emitMessages(context);
  context.log.emit({
    type: "CUSTOM",
    name: CUSTOM_EVENTS.resumed,
    value: { run_id: context.claim.runId, epoch: context.claim.epoch, position: context.claim.position },
  });
}
