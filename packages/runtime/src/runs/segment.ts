/**
 * The loop. A segment goes on from the conversation as it is stored: calls without a result are made, then the model is
 * asked, until it answers without calls, or something must be waited for, or a limit is reached.
 *
 * There is no other state: a segment that was killed is started again with the same rows and does what is missing.
 */
import {
  agUiMessages,
  type ConversationMessage,
  CUSTOM_EVENTS,
  type Failure,
  fail,
  openBlocks,
  openCalls,
  type RunEvent,
  type RuntimeAgent,
  type SegmentOutcome,
  type ToolCallPart,
  textOf,
} from "@capstan/core";
import { uuidv7 } from "uuidv7";
import type { ResolvedModel } from "../providers/models.ts";
import { callTools, nothingWaits, type Waits } from "./call-tools.ts";
import { READ_MESSAGES } from "./claim-statements.ts";
import { type StepAnswer, showWhatStands, takeStep } from "./model-turn.ts";
import { checkedOutput, repairMessage, responseFormat, wasRepaired } from "./output-schema.ts";
import type { RunContext } from "./run-context.ts";
import type { MessageToStore } from "./run-log.ts";
import type { Pending, RunResult } from "./run-types.ts";

export type SegmentEnd = "done" | "failed" | "waiting" | "handed_over";

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
    const calls = openCalls(context.messages);
    const ended =
      calls.length > 0 ? await makeCalls(context, agent.value, calls) : await nextStep(context, agent.value);
    if (ended) return ended;
  }
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
    messageId: () => uuidv7(),
    options: {
      ...responseFormat(claim.input.outputSchema, model, tools.length > 0),
      ...(claim.input.reasoning && { reasoning: claim.input.reasoning }),
    },
  });
  log.emit({ type: "STEP_FINISHED", stepName });
  if (!answer.ok) return failed(context, answer.failure);
  return storeAnswer(context, model, answer.value);
}

async function storeAnswer(
  context: RunContext,
  model: ResolvedModel,
  answer: StepAnswer,
): Promise<SegmentEnd | undefined> {
  const { seen, meter, claim } = context;
  seen.reasoning ||= answer.parts.some(({ type }) => type === "reasoning");
  seen.encryptedReasoning ||= answer.parts.some((part) => part.type === "reasoning" && part.providerOptions);
  if (answer.finish === "length") context.warn("The answer was cut at the model's longest output.");
  if (answer.finish === "content-filter") context.warn("The provider's content filter stopped the answer.");
  const message: ConversationMessage = { id: answer.messageId, role: "assistant", content: answer.parts };
  const stored: MessageToStore = { message, usage: meter.add(answer.usage, model.prices) };
  context.messages.push(message);
  if (openCalls(context.messages).length > 0) {
    await context.log.commit([stored]);
    return undefined;
  }
  const { outputSchema } = claim.input;
  if (outputSchema === undefined) return done(context, stored, { type: "done", messageId: message.id });
  seen.structuredOutput = true;
  const output = checkedOutput(textOf(message), outputSchema);
  if (output.ok) return done(context, stored, { type: "done", messageId: message.id, output: output.value });
  if (wasRepaired(context.messages)) {
    return failed(context, fail("output_not_valid", { where: output.where }).failure, [stored]);
  }
  const repair = repairMessage(uuidv7(), output.where);
  context.messages.push(repair);
  await context.log.commit([stored, { message: repair }]);
  return undefined;
}

async function done(
  context: RunContext,
  last: MessageToStore,
  result: Extract<RunResult, { type: "done" }>,
): Promise<SegmentEnd> {
  const { log, claim } = context;
  log.emit({
    type: "RUN_FINISHED",
    threadId: claim.sessionId,
    runId: context.segmentId,
    outcome: { type: "success" },
    ...(result.output !== undefined && { result: result.output }),
    ...usageOf(context),
    timestamp: context.engine.now().getTime(),
  });
  await log.commit([last], {
    run: { status: "done", outcome: result, usage: context.meter.usage },
    session: { status: "idle" },
    ...context.webhook({ status: "done", text: textOf(last.message), ...result }),
  });
  return "done";
}

/** Ends the run with a failure; what the model had said until then stays, marked as interrupted. */
export async function failed(
  context: RunContext,
  failure: Failure,
  messages: readonly MessageToStore[] = [],
): Promise<SegmentEnd> {
  const { log, partial } = context;
  for (const event of log.open.open.closing) log.emit(event);
  const said = (partial?.parts ?? []).flatMap((part) =>
    part.type === "text" ? [{ ...part, interrupted: true as const }] : [],
  );
  const kept: MessageToStore[] =
    partial && said.length > 0 ? [{ message: { id: partial.id, role: "assistant", content: said } }] : [];
  log.emit({
    type: "RUN_ERROR",
    message: `${failure.message} ${failure.nextStep}`,
    code: failure.code,
    ...usageOf(context),
    timestamp: context.engine.now().getTime(),
  });
  await log.commit([...messages, ...kept], {
    run: { status: "failed", outcome: { type: "failed", failure }, usage: context.meter.usage },
    session: { status: "idle" },
    ...context.webhook({ status: "failed", failure }),
  });
  return "failed";
}

async function suspended(context: RunContext, waits: Waits): Promise<SegmentEnd> {
  const { log, claim } = context;
  const interrupts = waits.interrupts.length > 0;
  context.seen.interrupts ||= interrupts;
  if (interrupts) await showAll(context);
  const outcome: SegmentOutcome = interrupts
    ? { type: "interrupt", interrupts: waits.interrupts }
    : { type: "success", ...(waits.clientCalls.length > 0 && { pendingToolCallIds: waits.clientCalls }) };
  const pending: Pending = {
    approvals: waits.approvals.map(({ id }) => id),
    clientCalls: waits.clientCalls,
    children: waits.children,
  };
  log.emit({
    type: "RUN_FINISHED",
    threadId: claim.sessionId,
    runId: context.segmentId,
    outcome,
    ...usageOf(context),
    timestamp: context.engine.now().getTime(),
  });
  await log.commit([], {
    run: { status: "waiting", pending, usage: context.meter.usage, owner: "" },
    session: { status: "waiting" },
    approvals: waits.approvals,
  });
  return "waiting";
}

/** State and messages as they stand: a client that comes back for the answer starts from these. */
async function showAll(context: RunContext): Promise<void> {
  const { log, claim, engine } = context;
  const { rows } = await engine.parts.database.pool.query<ConversationMessage>(READ_MESSAGES, [
    claim.sessionId,
  ]);
  log.emit({ type: "STATE_SNAPSHOT", snapshot: context.state ?? {} });
  log.emit({ type: "MESSAGES_SNAPSHOT", messages: agUiMessages(rows) });
}

/** The process stops: the run stays as it is, without an owner, for whoever looks next. */
async function handedOver(context: RunContext): Promise<SegmentEnd> {
  await context.log.commit([], { run: { owner: "", usage: context.meter.usage } });
  return "handed_over";
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

const usageOf = ({ meter }: RunContext) =>
  meter.segmentTokens.length > 0 ? { usage: meter.segmentTokens } : {};
