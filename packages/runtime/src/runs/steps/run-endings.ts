/** How a segment ends, each way in one commit: with the answer, with a failure, waiting, or handed over. */
import { type Failure, fail } from "@capstan/core";
import { agUiMessages, type ConversationMessage, type SegmentOutcome, textOf } from "@capstan/core/internal";
import { READ_MESSAGES } from "../claim/claim-statements.ts";
import type { RunContext } from "../context/run-context.ts";
import type { Pending, RunResult } from "../contract/run-types.ts";
import { messageId } from "../log/message-id.ts";
import type { MessageToStore } from "../log/run-log.ts";
import { checkedOutput, repairMessage, wasRepaired } from "../model/output-schema.ts";
import type { Waits } from "./call-tools.ts";

export type SegmentEnd = "done" | "failed" | "waiting" | "handed_over";

/** The last word was said: the run ends with it, unless it must fit a schema and does not. Undefined when the run goes on. */
export async function concluded(
  context: RunContext,
  stored: MessageToStore,
): Promise<SegmentEnd | undefined> {
  const { message } = stored;
  const { outputSchema } = context.claim.input;
  if (outputSchema === undefined) return done(context, stored, { type: "done", messageId: message.id });
  context.seen.structuredOutput = true;
  const output = checkedOutput(textOf(message), outputSchema);
  if (output.ok) return done(context, stored, { type: "done", messageId: message.id, output: output.value });
  if (wasRepaired(context.messages)) {
    return failed(context, fail("output_not_valid", { where: output.where }).failure, [stored]);
  }
  const repair = repairMessage(messageId(), output.where);
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

/** Something must be waited for; the message that asked for it is stored already. */
export async function suspended(context: RunContext, waits: Waits): Promise<SegmentEnd> {
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
  await log.commit(); // what is under way counts
  const { rows } = await engine.parts.database.pool.query<ConversationMessage>(READ_MESSAGES, [
    claim.sessionId,
  ]);
  log.emit({ type: "STATE_SNAPSHOT", snapshot: context.state ?? {} });
  log.emit({ type: "MESSAGES_SNAPSHOT", messages: agUiMessages(rows) });
}

/** The process stops: the run stays as it is, without an owner, for whoever looks next. */
export async function handedOver(context: RunContext): Promise<SegmentEnd> {
  await context.log.commit([], { run: { owner: "", usage: context.meter.usage } });
  return "handed_over";
}

const usageOf = ({ meter }: RunContext) =>
  meter.segmentTokens.length > 0 ? { usage: meter.segmentTokens } : {};
