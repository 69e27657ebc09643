/**
 * The loop. A segment goes on from the conversation as it is stored: calls without a result are made, then the model is
 * asked, until it answers without calls, or something must be waited for, or a limit is reached.
 *
 * There is no other state: a segment that was killed is started again with the same rows and does what is missing.
 */
import { fail, type RunEvent, type RuntimeAgent } from "@capstan/core";
import {
  type ConversationMessage,
  CUSTOM_EVENTS,
  openCalls,
  type ToolCallPart,
} from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { isDatabaseAway } from "../../db/database-away.ts";
import type { ResolvedModel } from "../../providers/models.ts";
import type { RunContext } from "../context/run-context.ts";
import { harnessStep, isHarnessed } from "../harness/harness-step.ts";
import { openBlocks } from "../history/open-events.ts";
import { messageId } from "../log/message-id.ts";
import type { MessageToStore } from "../log/run-log.ts";
import { type StepAnswer, showWhatStands, takeStep } from "../model/ask-model.ts";
import { responseFormat } from "../model/output-schema.ts";
import { callTools, mayRunAgain, nothingWaits } from "../steps/call-tools.ts";
import { concluded, failed, handedOver, type SegmentEnd, suspended } from "../steps/run-endings.ts";

/** The run's time is over; whatever is under way stops. */
export class TimeIsUp extends Error {}

export async function runSegment(context: RunContext): Promise<SegmentEnd> {
  const { meter, stop, log } = context;
  const timer = setTimeout(
    () => stop.abort(new TimeIsUp()),
    Math.max(0, Math.min(meter.leftMs, LONGEST_TIMER_MS)),
  );
  try {
    return await goOn(context);
  } catch (error) {
    if (log.error !== undefined) throw log.error;
    if (error instanceof TimeIsUp) {
      return failed(context, fail("run_time_limit", { limitSeconds: meter.limits.maxSeconds }).failure);
    }
    if (stop.signal.aborted) throw stop.signal.reason;
    if (isDatabaseAway(error)) throw error; // the rows are whole: the run goes on from them when it is back
    const reference = uuidv7();
    context.engine.parts.onError?.(error, `run ${context.claim.runId}, reference ${reference}`);
    return failed(context, fail("run_broken", { reference }).failure);
  } finally {
    clearTimeout(timer);
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function goOn(context: RunContext): Promise<SegmentEnd> {
  for (;;) {
    const agent = await context.agent();
    if (!agent.ok) return failed(context, agent.failure);
    context.approvalExpiry = agent.value.spec.approvalExpiry;
    const ended = isHarnessed(agent.value)
      ? await harnessStep(context, agent.value)
      : await ownStep(context, agent.value);
    if (ended) return ended;
  }
}

async function ownStep(context: RunContext, agent: RuntimeAgent): Promise<SegmentEnd | undefined> {
  context.harness = undefined; // another agent may have had the session before
  const calls = openCalls(context.messages);
  return calls.length > 0 ? makeCalls(context, agent, calls) : nextStep(context, agent);
}

async function makeCalls(
  context: RunContext,
  agent: RuntimeAgent,
  calls: readonly ToolCallPart[],
): Promise<SegmentEnd | undefined> {
  context.seen.toolCalls = true;
  context.seen.parallelCalls ||= calls.length > 1;
  const waits = await callTools(context, agent, calls);
  return nothingWaits(waits) ? undefined : suspended(context, waits);
}

async function nextStep(context: RunContext, agent: RuntimeAgent): Promise<SegmentEnd | undefined> {
  if (context.engine.draining()) return handedOver(context);
  const spent = context.meter.exceeded;
  return spent ? failed(context, spent) : askModel(context, agent);
}

/** One step; undefined when the run goes on. */
async function askModel(context: RunContext, agent: RuntimeAgent): Promise<SegmentEnd | undefined> {
  const { claim, engine, log } = context;
  const resolved = await engine.parts.models.resolve(claim.input.model ?? agent.spec.model);
  if (!resolved.ok) return failed(context, resolved.failure);
  const model = resolved.value;
  context.seen.model = model.name;
  const stepName = `step-${context.meter.usage.steps + 1}`;
  const tools = context.visibleTools(agent);
  log.emit({ type: "STEP_STARTED", stepName });
  const answer = await takeStep(context, {
    agent,
    model,
    tools,
    messageId,
    options: {
      ...responseFormat(claim.input.outputSchema, model, tools.length > 0),
      ...(claim.input.reasoning && { reasoning: claim.input.reasoning }),
    },
  });
  log.emit({ type: "STEP_FINISHED", stepName });
  if (!answer.ok) return failed(context, answer.failure);
  return storeAnswer(context, { agent, model, answer: answer.value });
}

async function storeAnswer(
  context: RunContext,
  { agent, model, answer }: { agent: RuntimeAgent; model: ResolvedModel; answer: StepAnswer },
): Promise<SegmentEnd | undefined> {
  const { seen, meter } = context;
  seen.reasoning ||= answer.parts.some(({ type }) => type === "reasoning");
  seen.encryptedReasoning ||= answer.parts.some((part) => part.type === "reasoning" && part.providerOptions);
  if (answer.finish === "length") context.warn("The answer was cut at the model's longest output.");
  if (answer.finish === "content-filter") context.warn("The provider's content filter stopped the answer.");
  const message: ConversationMessage = { id: answer.messageId, role: "assistant", content: answer.parts };
  const stored: MessageToStore = { message, usage: meter.add(answer.usage, model.prices) };
  context.messages.push(message);
  const calls = openCalls(context.messages);
  if (calls.length > 0) {
    if (calls.every(({ toolName }) => mayRunAgain(agent, toolName))) context.log.stage([stored]);
    else await context.log.commit([stored]);
    return undefined;
  }
  return concluded(context, stored);
}

/** Before a recovered segment goes on: half-said messages end, and every client learns what stands. */
export async function closeAndShow(context: RunContext, events: readonly RunEvent[]): Promise<void> {
  for (const event of openBlocks(events).closing) context.log.emit(event);
  await showWhatStands(context);
  context.log.emit({
    type: "CUSTOM",
    name: CUSTOM_EVENTS.resumed,
    value: { run_id: context.claim.runId, epoch: context.claim.epoch, position: context.claim.position },
  });
}
