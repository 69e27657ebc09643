/**
 * Makes the calls of one model message in parallel, each through the gate, and stores each result at once.
 * A call that waits for a person, a client or another run has no result; the segment then ends.
 */
import {
  type Failure,
  fail,
  type JsonValue,
  type RunEvent,
  type RuntimeAgent,
  type RuntimeTool,
} from "@capstan/core";
import {
  applyPatch,
  type ConversationMessage,
  CUSTOM_EVENTS,
  expiryOf,
  type Interrupt,
  type ToolCallPart,
  type ToolOutput,
  type ToolResultPart,
  toolOutputText,
} from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import type { GateOutcome, GateRequest } from "../../gate/gate.ts";
import { approvalPin } from "../approvals/approval-pin.ts";
import { askedPerson } from "../approvals/asked-person.ts";
import { isAllowedInSession } from "../approvals/session-allowance.ts";
import type { Answer } from "../claim/claimed-segment.ts";
import type { RunContext } from "../context/run-context.ts";
import type { RunUsage } from "../contract/run-types.ts";
import { messageId } from "../log/message-id.ts";
import type { CommitExtras } from "../log/run-log.ts";
import { connectionDenied, waitsForConnection } from "./ask-to-connect.ts";
import { seenBefore } from "./seen-before.ts";
import { noWaits, type Waits } from "./waits.ts";

export async function callTools(
  context: RunContext,
  agent: RuntimeAgent,
  calls: readonly ToolCallPart[],
): Promise<Waits> {
  const waits = noWaits(agent.spec.approvalExpiry);
  const answers = new Map(context.claim.answers.map((answer) => [answer.callId, answer]));
  const seen = await seenBefore(context, agent, calls);
  const settled = await Promise.allSettled(
    calls.map((call) => callOne(context, agent, call, answers.get(call.toolCallId), waits, seen)),
  );
  for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
  return waits;
}

/** Whether a call may run before it is stored: after a crash it is made again, which is harmless. */
export const mayRunAgain = ({ tools }: RuntimeAgent, name: string): boolean =>
  tools.some(({ name: own, tool }) => own === name && tool.idempotent && !tool.changesRights);

/** Makes one call: stores its result, or adds it to `waits`. */
export async function callOne(
  context: RunContext,
  agent: RuntimeAgent,
  call: ToolCallPart,
  answer: Answer | undefined,
  waits: Waits,
  seen?: GateRequest["seen"],
): Promise<void> {
  const denied = deniedBy(context, call, answer);
  if (denied) return storeResult(context, call, refusal(denied));
  const input = inputOf(call, answer);
  const found = agent.tools.find(({ name }) => name === call.toolName);
  if (found?.tool.subagent) startSubagent(context, call, found);
  const approved = isForThis(answer, agent, found);
  const outcome = await throughGate(context, agent, call, { input, approved, seen });
  if (found?.tool.subagent) await endSubagent(context, call, outcome);
  const edited = editedIn(answer, outcome);
  switch (outcome.kind) {
    case "approval":
      return askPerson(context, agent, call, outcome, waits);
    case "client":
      waits.clientCalls.push(call.toolCallId);
      return;
    case "refused":
      if (waitsForOthers(context, outcome, call, waits)) return;
      return storeResult(context, call, { ...refusal(outcome.failure), edited, tookMs: outcome.durationMs });
    case "done": {
      if (found?.tool.changesRights) context.engine.forgetAgent(context.agentId, context.claim.userEmail);
      const ranWith = edited ?? input;
      const stored = effects(context, agent, call, { value: outcome.output, found, input: ranWith });
      const again = mayRunAgain(agent, call.toolName) && found?.tool.handsOverTo === undefined;
      return storeResult(context, call, { ...stored, edited, tookMs: outcome.durationMs, again });
    }
  }
}

const inputOf = ({ input }: ToolCallPart, answer: Answer | undefined): JsonValue =>
  answer?.edited ?? unreadable(input) ?? input;

/** The arguments that a person put in place of the model's; in a replay, those of the recorded call. */
const editedIn = (answer: Answer | undefined, outcome: GateOutcome): JsonValue | undefined =>
  answer?.edited ?? ("edited" in outcome ? outcome.edited : undefined);

/** A denial of the call itself, or of the account that it needs. */
const deniedBy = (
  context: RunContext,
  call: ToolCallPart,
  answer: Answer | undefined,
): Failure | undefined =>
  answer && answer.status !== "approved" ? denial(call, answer) : connectionDenied(context, call);

async function throughGate(
  context: RunContext,
  agent: RuntimeAgent,
  call: ToolCallPart,
  { input, approved, seen }: { input: JsonValue; approved: boolean; seen: GateRequest["seen"] },
): Promise<GateOutcome> {
  const { claim, meter, signal, log } = context;
  const outcome = await context.engine.parts.gate.call({
    path: context.pathOf(call.toolName),
    agent,
    tool: call.toolName,
    input,
    user: { email: claim.userEmail, scopes: agent.scopes },
    sessionId: claim.sessionId,
    runId: claim.runId,
    callId: `${claim.runId}:${call.toolCallId}`,
    signal,
    budgets: meter.budgets(),
    approved,
    seen,
    isAllowed: (tool) => isAllowedInSession(context.engine.parts.database.pool, claim.sessionId, agent, tool),
  });
  if (signal.aborted) throw log.error ?? signal.reason;
  return outcome;
}

interface Stored {
  readonly output: ToolOutput;
  readonly events?: readonly RunEvent[];
  /** The shared state before these events. */
  readonly stateBefore?: JsonValue;
  readonly extras?: CommitExtras;
  readonly edited?: JsonValue | undefined;
  readonly tookMs?: number;
  /** The next step does not wait until it is stored: if it is lost, the call is made again, which is harmless. */
  readonly again?: boolean;
  /** The call bypassed the gate: it was a coding agent's own tool. */
  readonly ungated?: boolean;
}

export async function storeResult(context: RunContext, call: ToolCallPart, result: Stored): Promise<void> {
  const { toolCallId, toolName } = call;
  const { output, events = [], stateBefore, extras, edited, tookMs, again, ungated } = result;
  const part: ToolResultPart = {
    type: "tool-result",
    toolCallId,
    toolName,
    output,
    ...(edited !== undefined && { editedInput: edited }),
  };
  const message: ConversationMessage = { id: messageId(), role: "tool", content: [part] };
  const content = toolOutputText(output);
  const metadata = {
    ...(tookMs !== undefined && { durationMs: tookMs }),
    ...(edited !== undefined && { editedArguments: edited }),
    ...(ungated && { ungated }),
  };
  const before = context.unstored(toolCallId);
  context.log.emit({
    type: "TOOL_CALL_RESULT",
    messageId: message.id,
    toolCallId,
    content,
    role: "tool",
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
  for (const event of events) emitWithState(context, event, stateBefore);
  context.messages.push(...before.map((each) => each.message), message);
  const stored = context.log.commit([...before, { message }], extras);
  if (again)
    stored.catch(() => {}); // the log reports it: `lost` stops later work
  else await stored;
}

/** A client that joins late, or did not set the state, needs the whole state before the first change. */
function emitWithState(context: RunContext, event: RunEvent, before: JsonValue | undefined): void {
  if (event.type === "STATE_DELTA" && !context.isStateShown) {
    context.log.emit({ type: "STATE_SNAPSHOT", snapshot: before ?? {} });
  }
  context.isStateShown ||= event.type === "STATE_DELTA" || event.type === "STATE_SNAPSHOT";
  context.log.emit(event);
}

/** Further effects of a result: events, the shared state, the session's agent. */
function effects(
  context: RunContext,
  agent: RuntimeAgent,
  call: ToolCallPart,
  { value, found, input }: { value: JsonValue; found: RuntimeTool | undefined; input: JsonValue },
): Stored {
  const place = { toolCallId: call.toolCallId, sessionId: context.claim.sessionId };
  const events = [
    ...(found?.tool.events?.(input, value, place) ?? []),
    ...predictedDeltas(context, call.toolName, input),
  ];
  const stateBefore = context.state;
  const output: ToolOutput = typeof value === "string" ? { type: "text", value } : { type: "json", value };
  const state = changedState(context.state, events);
  if (state !== undefined) context.state = state;
  const to = found?.tool.handsOverTo?.id;
  if (to === undefined) {
    return { output, events, stateBefore, ...(state !== undefined && { extras: { session: { state } } }) };
  }
  context.agentId = to;
  context.scopeCeiling = agent.scopes;
  context.seen.handoffs = true;
  events.push({ type: "CUSTOM", name: CUSTOM_EVENTS.handedOver, value: { agent_id: to } });
  return {
    output,
    events,
    stateBefore,
    extras: { session: { agentId: to, metadata: { scopeCeiling: agent.scopes } } },
  };
}

/** Predicted state becomes real once the call has succeeded. */
function predictedDeltas({ claim }: RunContext, tool: string, input: JsonValue): RunEvent[] {
  const predicted = (claim.input.predictState ?? []).filter((each) => each.tool === tool);
  return predicted.flatMap(({ stateKey, argument }): RunEvent[] => {
    const value = argument === undefined ? input : isObject(input) ? input[argument] : undefined;
    const path = `/${stateKey.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return value === undefined ? [] : [{ type: "STATE_DELTA", delta: [{ op: "add", path, value }] }];
  });
}

function changedState(before: JsonValue, events: readonly RunEvent[]): JsonValue | undefined {
  let state: JsonValue | undefined;
  for (const event of events) {
    if (event.type === "STATE_SNAPSHOT") state = event.snapshot;
    if (event.type !== "STATE_DELTA") continue;
    const patched = applyPatch(state ?? before, event.delta);
    if (patched.ok) state = patched.value;
  }
  return state;
}

export const refusal = ({ code, message, nextStep }: Failure): Stored => ({
  output: { type: "error-json", value: { code, message, nextStep } },
});

export function denial({ toolName }: Pick<ToolCallPart, "toolName">, { status, words, by }: Answer): Failure {
  const why =
    status === "expired"
      ? "it was not answered in time"
      : `${by ?? "a person"} denied it${words ? `: ${words}` : ""}`;
  return fail("tool_denied", { tool: toolName, why }).failure;
}

/** What a delegated run reports while it waits for a person; see `subagent_waiting`. */
interface WaitingChild {
  readonly runId: string;
  readonly interrupts: readonly Interrupt[];
}

const waitingChild = ({ code, details }: Failure): WaitingChild | undefined =>
  code === "subagent_waiting" ? (details as WaitingChild) : undefined;

/** The child's interrupts become this run's, tied to the call that started it. */
function waitsForChild(failure: Failure, { toolCallId }: ToolCallPart, waits: Waits): boolean {
  const child = waitingChild(failure);
  if (!child) return false;
  waits.children.push(child.runId);
  waits.interrupts.push(...child.interrupts.map((interrupt) => ({ ...interrupt, toolCallId })));
  return true;
}

const waitsForOthers = (
  context: RunContext,
  { failure, capabilityId }: Extract<GateOutcome, { kind: "refused" }>,
  call: ToolCallPart,
  waits: Waits,
): boolean =>
  waitsForChild(failure, call, waits) || waitsForConnection(context, failure, call, capabilityId, waits);

/** An approval counts while agent, capability and config are unchanged; otherwise the person is asked again. */
const isForThis = (answer: Answer | undefined, agent: RuntimeAgent, tool: RuntimeTool | undefined): boolean =>
  answer !== undefined && tool !== undefined && answer.pin === approvalPin(agent, tool);

export function askPerson(
  context: RunContext,
  agent: RuntimeAgent,
  call: ToolCallPart,
  outcome: Pick<Extract<GateOutcome, { kind: "approval" }>, "tool" | "input" | "why" | "allowable" | "ask">,
  waits: Waits,
): void {
  const { claim, engine } = context;
  const { tool, input, why, allowable, ask } = outcome;
  const id = uuidv7();
  const { assignee, assigneeOnly, expiry } = askedPerson({
    tool,
    ask,
    userEmail: claim.userEmail,
    agentExpiry: waits.expiry,
    rightsApprover: engine.parts.rightsApprover,
  });
  const expiresAt = expiryOf(expiry, engine.now())?.toISOString();
  waits.approvals.push({
    id,
    agent_id: context.agentId,
    user_email: claim.userEmail,
    capability_id: tool.capabilityId,
    tool: tool.name,
    call_id: call.toolCallId,
    arguments: input,
    pin: approvalPin(agent, tool),
    assignee,
    assignee_only: assigneeOnly,
    reason: why,
    allowable,
    expiry,
    expires_at: expiresAt ?? null,
  });
  waits.interrupts.push({
    id,
    reason: "tool_call",
    message: `Allow ${tool.name}? ${why}`,
    toolCallId: call.toolCallId,
    responseSchema: answerSchema(tool),
    ...(expiresAt !== undefined && { expiresAt }),
    metadata: { tool: tool.name, capabilityId: tool.capabilityId, arguments: input, allowable },
  });
}

/** How a client may answer: approve or deny, edited arguments, a reason for the model. */
const answerSchema = ({ tool }: RuntimeTool): Record<string, unknown> => ({
  type: "object",
  properties: {
    approved: { type: "boolean" },
    editedArgs: tool.input.jsonSchema,
    reason: { type: "string", description: "Reason sent to the model when the call is denied." },
  },
  required: ["approved"],
});

function startSubagent(context: RunContext, { toolCallId }: ToolCallPart, { tool }: RuntimeTool): void {
  if (!tool.subagent) return;
  const { id: _, ...named } = tool.subagent;
  context.seen.subagents = true;
  context.log.emit({
    type: "SUBAGENT_STARTED",
    subagentRunId: toolCallId,
    parentToolCallId: toolCallId,
    ...named,
  });
}

const CHILD_USAGE =
  "select usage from runs where parent_run_id = $1 and parent_call_id = $2 and usage is not null";

/** Adds the child's usage to this run's limits. */
async function endSubagent(
  context: RunContext,
  { toolCallId }: ToolCallPart,
  outcome: GateOutcome,
): Promise<void> {
  const { runId } = context.claim;
  const { pool } = context.engine.parts.database;
  const { rows } = await pool.query<{ usage: RunUsage }>(CHILD_USAGE, [runId, `${runId}:${toolCallId}`]);
  for (const { usage } of rows) context.meter.addChild(usage);
  context.log.emit(subagentEnd(toolCallId, outcome));
}

function subagentEnd(subagentRunId: string, outcome: GateOutcome): RunEvent {
  if (outcome.kind !== "refused") {
    const result = outcome.kind === "done" ? { result: outcome.output } : {};
    return { type: "SUBAGENT_FINISHED", subagentRunId, ...result, outcome: { type: "success" } };
  }
  const { failure } = outcome;
  const child = waitingChild(failure);
  if (!child) return { type: "SUBAGENT_ERROR", subagentRunId, message: failure.message, code: failure.code };
  const interruptIds = child.interrupts.map(({ id }) => id);
  return { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended", interruptIds } };
}

/** Arguments that are not JSON are stored as `{ unparsed }`. They are passed on as text, which no schema accepts, so no tool runs on defaults. */
const unreadable = (input: JsonValue): string | undefined =>
  isObject(input) && Object.keys(input).length === 1 && typeof input.unparsed === "string"
    ? input.unparsed
    : undefined;

const isObject = (value: JsonValue): value is { [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
