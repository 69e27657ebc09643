/** The ways a segment ends, each in one commit: with an answer, with a failure, waiting, or released. */
import { type Failure, fail } from "@capstan/core";
import { agUiMessages, type ConversationMessage, type SegmentOutcome, textOf } from "@capstan/core/internal";
import { READ_MESSAGES } from "../claim/claim-statements.ts";
import type { RunContext } from "../context/run-context.ts";
import type { Pending, RunResult } from "../contract/run-types.ts";
import { runFailed, runFinished } from "../log/lifecycle-events.ts";
import { messageId } from "../log/message-id.ts";
import type { MessageToStore } from "../log/run-log.ts";
import { checkedOutput, repairMessage, wasRepaired } from "../model/output-schema.ts";
import type { Waits } from "./waits.ts";

export type SegmentEnd = "done" | "failed" | "waiting" | "handed_over";

/**
 * Ends the run with the model's answer. An answer that does not fit the output schema is returned to the model once;
 * then the run continues and the result is undefined.
 */
export async function concludeRun(
  context: RunContext,
  stored: MessageToStore,
): Promise<SegmentEnd | undefined> {
  const { message } = stored;
  const { outputSchema } = context.claim.input;
  if (outputSchema === undefined) return finishRun(context, stored, { type: "done", messageId: message.id });
  context.seen.structuredOutput = true;
  const output = checkedOutput(textOf(message), outputSchema);
  if (output.ok) {
    return finishRun(context, stored, { type: "done", messageId: message.id, output: output.value });
  }
  if (wasRepaired(context.messages)) {
    return failRun(context, fail("output_not_valid", { where: output.where }).failure, [stored]);
  }
  const repair = repairMessage(messageId(), output.where);
  context.messages.push(repair);
  await context.log.commit([stored, { message: repair }]);
  return undefined;
}

async function finishRun(
  context: RunContext,
  last: MessageToStore,
  result: Extract<RunResult, { type: "done" }>,
): Promise<SegmentEnd> {
  emitFinished(context, { type: "success" }, result.output);
  await context.log.commit([last], {
    run: { status: "done", outcome: result, usage: context.meter.usage },
    session: { status: "idle" },
    ...context.webhook({ status: "done", text: textOf(last.message), ...result }),
  });
  return "done";
}

/** Ends the run with a failure; text of the model so far stays, marked as interrupted. */
export async function failRun(
  context: RunContext,
  failure: Failure,
  messages: readonly MessageToStore[] = [],
): Promise<SegmentEnd> {
  const { log, partial, meter, engine } = context;
  for (const event of log.blocks.unfinished.closingEvents) log.emit(event);
  const said = (partial?.parts ?? []).flatMap((part) =>
    part.type === "text" ? [{ ...part, interrupted: true as const }] : [],
  );
  const kept: MessageToStore[] =
    partial && said.length > 0 ? [{ message: { id: partial.id, role: "assistant", content: said } }] : [];
  log.emit(runFailed({ failure, usage: meter.segmentTokens, at: engine.now() }));
  await log.commit([...messages, ...kept], {
    run: { status: "failed", outcome: { type: "failed", failure }, usage: meter.usage },
    session: { status: "failed" },
    ...context.webhook({ status: "failed", failure }),
  });
  return "failed";
}

/** Ends the segment until what it waits for arrives; the message with the calls is stored already. */
export async function suspendRun(context: RunContext, waits: Waits): Promise<SegmentEnd> {
  const hasInterrupts = waits.interrupts.length > 0;
  context.seen.interrupts ||= hasInterrupts;
  if (hasInterrupts) await emitSnapshots(context);
  const outcome: SegmentOutcome = hasInterrupts
    ? { type: "interrupt", interrupts: waits.interrupts }
    : { type: "success", ...(waits.clientCalls.length > 0 && { pendingToolCallIds: waits.clientCalls }) };
  const pending: Pending = {
    approvals: waits.approvals.map(({ id }) => id),
    clientCalls: waits.clientCalls,
    children: waits.children,
  };
  emitFinished(context, outcome);
  await context.log.commit([], {
    run: { status: "waiting", pending, usage: context.meter.usage, owner: "" },
    session: { status: "waiting" },
    approvals: waits.approvals,
  });
  return "waiting";
}

/** Emits state and messages as stored: a client that returns with the answer starts from these. */
async function emitSnapshots(context: RunContext): Promise<void> {
  const { log, claim, engine } = context;
  await log.commit(); // includes pending writes
  const { rows } = await engine.parts.database.pool.query<ConversationMessage>(READ_MESSAGES, [
    claim.sessionId,
  ]);
  log.emit({ type: "STATE_SNAPSHOT", snapshot: context.state ?? {} });
  log.emit({ type: "MESSAGES_SNAPSHOT", messages: agUiMessages(rows) });
}

/** Releases the run because the process stops; it stays running, without an owner, until a process adopts it. */
export async function handOverRun(context: RunContext): Promise<SegmentEnd> {
  await context.log.commit([], { run: { owner: "", usage: context.meter.usage } });
  return "handed_over";
}

function emitFinished(context: RunContext, outcome: SegmentOutcome, result?: RunResultOutput): void {
  const { log, claim, segmentId, meter, engine } = context;
  const { sessionId } = claim;
  log.emit(
    runFinished({ sessionId, segmentId, outcome, result, usage: meter.segmentTokens, at: engine.now() }),
  );
}

type RunResultOutput = Extract<RunResult, { type: "done" }>["output"];
