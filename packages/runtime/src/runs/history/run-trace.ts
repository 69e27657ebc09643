/**
 * A run as a waterfall: model calls, approvals and tool calls, each with input, output, duration
 * and cost. Read from the conversation itself, so each item appears once, whatever telemetry counted.
 */
import type { ToolCallPart, ToolResultPart } from "@capstan/core/internal";
import type { Database } from "../../db/database.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type CallTiming, callParts, type StoredCall } from "../log/stored-call.ts";
import { listMessages, type MessageRecord, type RunRecord } from "./session-history.ts";
import { listSummaries, type SummaryRecord } from "./summaries.ts";
import { callEvents, type EventFacts, type QuestionRow, questionsOf } from "./trace-reads.ts";

const MOST_MESSAGES = 1000;
const MOST_CHARS = 20_000; // of one value in a trace; the session's messages have it whole

export interface TraceEntry {
  /** Id of the message, call or approval. */
  readonly id: string;
  readonly kind: "model" | "gate" | "tool";
  readonly name: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly state: "done" | "failed" | "waiting" | "cancelled";
  readonly capability_id?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly nextStep: string };
  readonly usage?: StoredCall | null;
  readonly first_token_ms?: number;
  readonly attempts?: number;
  readonly retries?: string[];
  readonly prompt_id?: string;
  readonly sent_messages?: number;
  readonly response?: { readonly id?: string; readonly model?: string; readonly finish_reason: string };
  readonly decision?: string;
  readonly decided_by?: string | null;
  readonly reason?: string;
  readonly words?: string | null;
  readonly edited_input?: unknown;
}

export interface TraceParts {
  readonly database: Pick<Database, "pool">;
  readonly telemetry: Pick<Telemetry, "flush">;
}

export async function traceOf(
  { database: { pool }, telemetry }: TraceParts,
  run: RunRecord,
): Promise<TraceEntry[]> {
  await telemetry.flush(); // knows the capability of each tool
  const [{ items }, facts, questions, summaries] = await Promise.all([
    listMessages(pool, run.sessionId, { limit: MOST_MESSAGES }),
    callEvents(pool, run),
    questionsOf(pool, run),
    listSummaries(pool, run.sessionId),
  ]);
  return buildTrace({
    run,
    messages: items.filter(({ runId }) => runId === run.id),
    facts,
    questions,
    summaries: summaries.filter(({ runId }) => runId === run.id),
  });
}

export interface TraceSource {
  readonly run: Pick<RunRecord, "status" | "createdAt" | "updatedAt" | "outcome">;
  /** Of this run, in their order. */
  readonly messages: readonly MessageRecord[];
  readonly facts: EventFacts;
  readonly questions: readonly QuestionRow[];
  readonly summaries?: readonly SummaryRecord[];
}

/** Pure, so that failures, waits and missing events are tested without a store. */
export function buildTrace(source: TraceSource): TraceEntry[] {
  // In the order of the conversation, also within one millisecond.
  const gates = Map.groupBy(source.questions, ({ call_id }) => asker(source, call_id));
  const gatesOf = (message: MessageRecord | undefined) =>
    (gates.get(message) ?? []).map((question) => gateSpan(question, source.run));
  const entries = [
    ...source.messages.flatMap((message, index) => [
      ...modelSpan(source, message, index),
      ...gatesOf(message),
      ...toolSpans(source, message),
    ]),
    ...gatesOf(undefined),
    ...(source.summaries ?? []).map(summarySpan),
    ...failedCall(source),
  ];
  return entries.sort((a, b) => (a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : 0));
}

const asker = ({ messages }: TraceSource, callId: string): MessageRecord | undefined =>
  messages.find(({ content }) =>
    content.some((part) => part.type === "tool-call" && part.toolCallId === callId),
  );

const iso = (time: Date | string): string => new Date(time).toISOString();
const msBetween = (from: Date | string, to: Date | string): number =>
  Math.max(0, new Date(to).getTime() - new Date(from).getTime());

/** Older model calls have no recorded times: they are shown from the previous message to their own. */
function modelSpan(
  { run, messages, facts }: TraceSource,
  message: MessageRecord,
  index: number,
): TraceEntry[] {
  if (message.role !== "assistant") return [];
  const { timing, usage } = callParts(message.usage ?? {});
  const { startedAt, durationMs, firstTokenMs, attempts, promptId, sentMessages } = timing;
  const before = messages[index - 1]?.createdAt ?? run.createdAt;
  const retries = facts.retries.get(message.id) ?? [];
  return [
    {
      id: message.id,
      kind: "model",
      name: usage.model ?? "model",
      started_at: iso(typeof startedAt === "string" ? startedAt : before),
      duration_ms: typeof durationMs === "number" ? durationMs : msBetween(before, message.createdAt),
      state: "done",
      usage,
      output: cutParts(message.content.map(shownPart)),
      ...(typeof firstTokenMs === "number" && { first_token_ms: firstTokenMs }),
      ...(typeof attempts === "number" && { attempts }),
      ...(retries.length > 0 && { retries: [...retries] }),
      ...(typeof promptId === "string" && { prompt_id: promptId }),
      ...(typeof sentMessages === "number" && { sent_messages: sentMessages }),
      ...responseIn(timing),
    },
  ];
}

/** A model call without a message in the conversation. */
function summarySpan(summary: SummaryRecord): TraceEntry {
  const { timing, usage } = callParts(summary.usage ?? {});
  return {
    id: summary.id,
    kind: "model",
    name: `summary of ${summary.toPosition + 1} messages`,
    started_at: iso(timing.startedAt ?? summary.createdAt),
    duration_ms: timing.durationMs ?? 0,
    state: "done",
    usage,
    output: cut(summary.text),
    ...(timing.attempts !== undefined && { attempts: timing.attempts }),
    ...(timing.sentMessages !== undefined && { sent_messages: timing.sentMessages }),
  };
}

function responseIn({ responseId, responseModel, finishReason }: CallTiming): Pick<TraceEntry, "response"> {
  if (finishReason === undefined) return {};
  return {
    response: {
      ...(responseId !== undefined && { id: responseId }),
      ...(responseModel !== undefined && { model: responseModel }),
      finish_reason: finishReason,
    },
  };
}

/** A run that failed before its model said anything has no message to show; its last try is shown instead. */
function failedCall({ run, messages, facts }: TraceSource): TraceEntry[] {
  const { outcome } = run;
  const last = messages.at(-1);
  if (outcome?.type !== "failed" || last?.role === "assistant") return [];
  const { code, message, nextStep } = outcome.failure;
  const from = last?.createdAt ?? run.createdAt;
  return [
    {
      id: "failed",
      kind: "model",
      name: "model call",
      started_at: iso(from),
      duration_ms: msBetween(from, run.updatedAt),
      state: "failed",
      error: { code, message, nextStep },
      ...(facts.lastRetries.length > 0 && { retries: [...facts.lastRetries] }),
    },
  ];
}

const STATES: Record<string, TraceEntry["state"]> = {
  pending: "waiting",
  cancelled: "cancelled",
  denied: "failed",
};

/** The gate itself takes microseconds; the time shown is how long it waited for a person. */
function gateSpan(question: QuestionRow, run: TraceSource["run"]): TraceEntry {
  const { id, tool, capability_id, status, created_at, decided_at } = question;
  const end = decided_at ?? (run.status === "waiting" ? new Date() : run.updatedAt);
  return {
    id,
    kind: "gate",
    name: tool,
    capability_id,
    started_at: iso(created_at),
    duration_ms: msBetween(created_at, end),
    state: STATES[status] ?? "done",
    input: cut(question.arguments),
    decision: status,
    decided_by: question.decided_by,
    reason: question.reason,
    words: question.words,
    ...(question.edited_arguments !== null && { edited_input: cut(question.edited_arguments) }),
  };
}

function toolSpans(source: TraceSource, message: MessageRecord): TraceEntry[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-call" ? [toolSpan(source, part, message.createdAt)] : [],
  );
}

function toolSpan(
  { run, messages, facts, questions }: TraceSource,
  call: ToolCallPart,
  asked: Date,
): TraceEntry {
  const answer = messages.find(({ role, content }) => role === "tool" && content.some(answers(call)));
  const result = answer?.content.find(answers(call)) as ToolResultPart | undefined;
  const { durationMs } = facts.calls.get(call.toolCallId) ?? {};
  const end = answer ? answeredBy(messages, answer) : run.status === "running" ? new Date() : run.updatedAt;
  const took = durationMs ?? (answer ? msBetween(asked, end) : 0);
  const question = questions.find(({ call_id }) => call_id === call.toolCallId);
  const capability = question?.capability_id ?? facts.capabilities.get(call.toolName);
  return {
    id: call.toolCallId,
    kind: "tool",
    name: call.toolName,
    started_at: answer ? iso(new Date(new Date(end).getTime() - took)) : iso(asked),
    duration_ms: took,
    ...outcomeOf(run, result),
    input: cut(call.input),
    decision: question?.status ?? (result?.output.type === "error-json" ? "refused or failed" : "allowed"),
    ...(capability !== undefined && { capability_id: capability }),
    ...(result?.editedInput !== undefined && { edited_input: cut(result.editedInput) }),
  };
}

/** A result is stored while the model already reads it, so its call ended before that model call began. */
function answeredBy(messages: TraceSource["messages"], answer: MessageRecord): Date {
  const next = messages.slice(messages.indexOf(answer)).find(({ role }) => role === "assistant");
  const { startedAt } = callParts(next?.usage ?? {}).timing;
  const read = new Date(startedAt ?? answer.createdAt);
  return read < new Date(answer.createdAt) ? read : new Date(answer.createdAt);
}

const answers =
  (call: ToolCallPart) =>
  (part: MessageRecord["content"][number]): boolean =>
    part.type === "tool-result" && part.toolCallId === call.toolCallId;

function outcomeOf(run: TraceSource["run"], result: ToolResultPart | undefined) {
  if (!result) return { state: run.status === "cancelled" ? ("cancelled" as const) : ("waiting" as const) };
  const { type, value } = result.output;
  if (type !== "error-json") return { state: "done" as const, output: cut(value) };
  const failure = value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  const text = (name: string) => (typeof failure[name] === "string" ? failure[name] : "");
  const error = { code: text("code"), message: text("message"), nextStep: text("nextStep") };
  return { state: "failed" as const, output: cut(value), error };
}

/** Signatures and encrypted reasoning belong to the provider; people see the text. */
const shownPart = (part: MessageRecord["content"][number]): object => {
  if ("providerOptions" in part) {
    const { providerOptions: _, ...shown } = part;
    return shown;
  }
  return part;
};

/** Each part is truncated separately, so that a long answer is still a list of parts. */
function cutParts(parts: readonly object[]): unknown {
  if (JSON.stringify(parts).length <= MOST_CHARS) return parts;
  return parts.map((part) =>
    Object.fromEntries(Object.entries(part).map(([name, value]) => [name, cut(value)])),
  );
}

function cut(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === undefined || text.length <= MOST_CHARS) return value;
  return `${text.slice(0, MOST_CHARS)}… (${text.length} characters)`;
}
