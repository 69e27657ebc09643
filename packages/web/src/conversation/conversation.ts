/**
 * Builds a conversation from a session's events. However the events arrive (at once, one by one, again after a reconnect) the
 * view is the same: an event is identified by its number, and each kind has one row below.
 */
import type { Message, SessionEvent } from "@capstan/client";
import type { JsonValue, RunEvent } from "@capstan/core";
import {
  applyPatch,
  CUSTOM_EVENTS,
  type Interrupt,
  type JsonPatchOperation,
  type ListedTask,
  taskListIn,
} from "@capstan/core/internal";
import { Draft } from "./draft.ts";
import type { ConversationView, Entry, NoticeEntry, RunView } from "./entries.ts";
import { reconcile } from "./reconcile.ts";
import { storedEntries, storedTodos } from "./stored-messages.ts";
import { isFailureText, parsed } from "./tool-result.ts";

export class Conversation {
  readonly #draft = new Draft();
  #lastSeq = 0;
  #storedTodos: readonly ListedTask[] = [];
  #view: ConversationView | undefined;

  get lastSeq(): number {
    return this.#lastSeq;
  }

  apply(events: readonly SessionEvent[]): void {
    for (const { seq, event } of events) {
      if (seq <= this.#lastSeq) continue;
      this.#lastSeq = seq;
      if (ENDS_RETRY.has(event.type)) settleRetry(this.#draft);
      const row = ROWS[event.type] as ((draft: Draft, event: RunEvent, seq: number) => void) | undefined;
      row?.(this.#draft, event, seq);
      this.#view = undefined;
    }
  }

  /** Stored messages, all of a run at once; may be delivered again. */
  learn(messages: readonly Message[]): void {
    this.#storedTodos = storedTodos(messages) ?? this.#storedTodos;
    for (const [runId, ofRun] of Map.groupBy(messages, ({ run_id, id }) => run_id ?? id))
      this.#draft.learn(runId, ofRun);
    this.#view = undefined;
  }

  /** The same object until something changes it. */
  get view(): ConversationView {
    const { runs, state, todos, toolResults } = this.#draft;
    this.#view ??= {
      lastSeq: this.#lastSeq,
      entries: withStoredOnly(this.#draft),
      runs: [...runs],
      state,
      todos: todos.length > 0 ? todos : this.#storedTodos,
      toolResults,
    };
    return this.#view;
  }
}

/** Messages without events go before the first run if they are older, otherwise after the last: their events will follow. */
function withStoredOnly({ entries, runs, stored, find }: Draft): Entry[] {
  const firstPlace = placeOf(stored.get(runs[0]?.id ?? ""));
  const untold = [...stored].filter(([runId]) => !find("user", runId));
  const older = untold.filter(([, messages]) => placeOf(messages) < firstPlace);
  const newer = untold.filter(([, messages]) => placeOf(messages) >= firstPlace);
  return [...entriesOf(older), ...entries, ...entriesOf(newer)];
}

type Turn = [runId: string, messages: readonly Message[]];

const placeOf = (messages: readonly Message[] | undefined): number =>
  messages?.[0]?.position ?? Number.POSITIVE_INFINITY;

const entriesOf = (turns: Turn[]): Entry[] =>
  turns
    .toSorted(([, a], [, b]) => placeOf(a) - placeOf(b))
    .flatMap(([, messages]) => storedEntries(messages));

type Rows = {
  readonly [Type in RunEvent["type"]]?: (
    draft: Draft,
    event: Extract<RunEvent, { type: Type }>,
    seq: number,
  ) => void;
};

const ROWS: Rows = {
  RUN_STARTED: (draft, { runId: segmentId, timestamp }) => {
    const id = runOf(segmentId);
    if (draft.run?.id === id) return draft.setRun({ status: "running", endedAt: undefined });
    draft.runs.push({ id, status: "running", startedAt: timestamp });
    draft.put({ kind: "user", id, runId: id, at: timestamp, message: draft.wordsOf(id) });
  },
  RUN_FINISHED: (draft, { outcome, usage, timestamp }, seq) => {
    closeOpen(draft);
    const tokens = (draft.run?.tokens ?? 0) + tokensOf(usage);
    draft.setRun({ status: statusAfter(outcome), endedAt: timestamp, tokens, step: undefined });
    if (outcome?.type === "interrupt") for (const each of outcome.interrupts) ask(draft, each, timestamp);
    if (outcome?.type === "cancelled") notice(draft, { id: String(seq), tone: "plain", text: "Stopped." });
    if (draft.run?.status === "done" && draft.entries.at(-1)?.kind === "user")
      notice(draft, {
        id: String(seq),
        tone: "bad",
        text: "The model returned an empty answer.",
        code: "answer_empty",
      });
    for (const id of pendingCalls(outcome))
      draft.change("tool", id, (call) => ({ ...call, forClient: true }));
  },
  RUN_ERROR: (draft, { message, code, metadata, timestamp }, seq) => {
    closeOpen(draft);
    draft.setRun({ status: "failed", endedAt: timestamp, step: undefined });
    const nextStep = textIn(metadata?.nextStep);
    // For other clients the next step is at the end of the message; here it is shown separately.
    const text = nextStep ? message.replace(nextStep, "").trim() : message;
    notice(draft, { id: String(seq), tone: "bad", text, nextStep, code });
  },
  STEP_STARTED: (draft, { stepName }) => draft.setRun({ step: stepName }),
  STEP_FINISHED: (draft) => draft.setRun({ step: undefined }),
  TEXT_MESSAGE_START: (draft, { messageId, role, timestamp, subagentRunId }) => {
    const piece = pieceOf(draft, messageId, timestamp, subagentRunId);
    if (role === "assistant") draft.put({ ...piece, kind: "text", text: "", done: false });
  },
  TEXT_MESSAGE_CONTENT: (draft, { messageId, delta }) =>
    draft.change("text", messageId, (before) => ({ ...before, text: before.text + delta })),
  TEXT_MESSAGE_END: (draft, { messageId }) =>
    draft.change("text", messageId, (before) => ({ ...before, done: true })),
  REASONING_MESSAGE_START: (draft, { messageId, timestamp, subagentRunId }) => {
    const piece = pieceOf(draft, messageId, timestamp, subagentRunId);
    draft.put({ ...piece, kind: "reasoning", text: "", done: false });
  },
  REASONING_MESSAGE_CONTENT: (draft, { messageId, delta }) =>
    draft.change("reasoning", messageId, (before) => ({ ...before, text: before.text + delta })),
  REASONING_MESSAGE_END: (draft, { messageId }) =>
    draft.change("reasoning", messageId, (before) => ({ ...before, done: true })),
  TOOL_CALL_START: (draft, { toolCallId, toolCallName, parentMessageId, timestamp, subagentRunId }) =>
    draft.put({
      ...pieceOf(draft, toolCallId, timestamp, subagentRunId),
      kind: "tool",
      name: toolCallName,
      messageId: parentMessageId,
      argumentsText: "",
      ready: false,
    }),
  TOOL_CALL_ARGS: (draft, { toolCallId, delta }) =>
    draft.change("tool", toolCallId, (before) => ({
      ...before,
      argumentsText: before.argumentsText + delta,
    })),
  TOOL_CALL_END: (draft, { toolCallId }) => {
    draft.change("tool", toolCallId, (before) => ({ ...before, ready: true }));
    const call = draft.find("tool", toolCallId);
    if (call?.argumentsText.includes('"status"'))
      draft.todos = taskListIn(parsed(call.argumentsText)) ?? draft.todos;
  },
  TOOL_CALL_RESULT: (draft, { toolCallId, content, metadata }) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const result = { text, failed: isFailureText(text) };
    const tookMs = typeof metadata?.durationMs === "number" ? metadata.durationMs : undefined;
    const edited = metadata?.editedArguments;
    draft.change("tool", toolCallId, (before) => ({ ...before, ready: true, result, tookMs, edited }));
    draft.toolResults += 1;
    draft.lastResult = toolCallId;
  },
  STATE_SNAPSHOT: (draft, { snapshot }) => {
    draft.state = snapshot;
  },
  STATE_DELTA: (draft, { delta }) => {
    draft.state = patched(draft.state ?? {}, delta);
  },
  MESSAGES_SNAPSHOT: (draft, { messages }) =>
    draft.replaceAll(reconcile(draft.entries, messages, draft.run?.id)),
  ACTIVITY_SNAPSHOT: (draft, { messageId, activityType, content, timestamp, subagentRunId }) => {
    if (draft.lastResult) draft.change("tool", draft.lastResult, (before) => ({ ...before, drawn: true }));
    draft.put({
      ...pieceOf(draft, messageId, timestamp, subagentRunId),
      kind: "activity",
      activityType,
      content,
    });
  },
  ACTIVITY_DELTA: (draft, { messageId, patch }) =>
    draft.change("activity", messageId, (before) => ({
      ...before,
      content: patched(before.content, patch),
    })),
  CUSTOM: (draft, { name, value }, seq) => customNotice(draft, name, value, seq),
  SUBAGENT_STARTED: (draft, { subagentRunId, name, description, timestamp }) =>
    draft.put({
      ...pieceOf(draft, subagentRunId, timestamp, undefined),
      kind: "subagent",
      name,
      description,
      status: "running",
    }),
  SUBAGENT_FINISHED: (draft, { subagentRunId, outcome }) => {
    const status = outcome?.type === "suspended" ? "waiting" : "done";
    draft.change("subagent", subagentRunId, (before) => ({ ...before, status }));
  },
  SUBAGENT_ERROR: (draft, { subagentRunId, message }) =>
    draft.change("subagent", subagentRunId, (before) => ({ ...before, status: "failed", message })),
};

/** Segments of one run are named `run`, `run:1`, `run:2`. */
const runOf = (segmentId: string): string => segmentId.split(":", 1)[0] ?? segmentId;

/** A patch that does not apply is ignored: the page keeps showing the rest. */
function patched(value: JsonValue, patch: readonly JsonPatchOperation[]): JsonValue {
  const applied = applyPatch(value, patch);
  return applied.ok ? applied.value : value;
}

type Finished = Extract<RunEvent, { type: "RUN_FINISHED" }>;

const tokensOf = (usage: Finished["usage"]): number =>
  (usage ?? []).reduce((sum, each) => sum + (each.inputTokens ?? 0) + (each.outputTokens ?? 0), 0);

const pendingCalls = (outcome: Finished["outcome"]): readonly string[] =>
  (outcome?.type === "success" && outcome.pendingToolCallIds) || [];

function statusAfter(outcome: Finished["outcome"]): RunView["status"] {
  if (outcome?.type === "interrupt") return "waiting";
  return outcome?.type === "cancelled" ? "cancelled" : "done";
}

const pieceOf = (draft: Draft, id: string, at: number | undefined, subagent: string | undefined) => ({
  id,
  runId: draft.run?.id,
  at,
  ...(subagent !== undefined && { subagent }),
});

/** A terminal event ends everything the sender left open. */
function closeOpen(draft: Draft): void {
  for (const entry of draft.entries) {
    if ((entry.kind === "text" || entry.kind === "reasoning") && !entry.done)
      draft.put({ ...entry, done: true });
  }
}

function ask(draft: Draft, interrupt: Interrupt, at: number | undefined): void {
  const { id, toolCallId } = interrupt;
  if (toolCallId !== undefined && draft.find("tool", toolCallId))
    draft.change("tool", toolCallId, (before) => ({ ...before, ready: true, interrupt }));
  else draft.put({ kind: "question", id, runId: draft.run?.id, at, interrupt });
}

type Notice = Omit<NoticeEntry, "kind" | "runId" | "at" | "subagent">;

const notice = (draft: Draft, told: Notice): void =>
  draft.put({ ...told, kind: "notice", runId: draft.run?.id });

const NOTICES: Record<string, { tone: "plain" | "warn"; text: string }> = {
  [CUSTOM_EVENTS.resumed]: { tone: "plain", text: "The server restarted. The run resumed here." },
  [CUSTOM_EVENTS.handedOver]: { tone: "plain", text: "Handed over to another agent." },
  [CUSTOM_EVENTS.warning]: { tone: "warn", text: "Some content was omitted." },
};

function customNotice(draft: Draft, name: string, value: JsonValue, seq: number): void {
  const given = value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  if (name === CUSTOM_EVENTS.retrying) retryNotice(draft, given);
  const known = NOTICES[name];
  if (!known) return;
  const text = textIn(given.message) ?? known.text;
  notice(draft, { id: String(seq), tone: known.tone, text, nextStep: textIn(given.nextStep) });
}

/** However often a run is retried, it is one line with the latest attempt. */
function retryNotice(draft: Draft, { attempt, wait_ms, reason }: Readonly<Record<string, JsonValue>>): void {
  const seconds = typeof wait_ms === "number" ? Math.max(1, Math.round(wait_ms / 1000)) : 1;
  const times = typeof attempt === "number" && attempt > 1 ? ` (attempt ${attempt + 1})` : "";
  const why = textIn(reason)?.replace(/[.!]$/, "") ?? "The model provider failed";
  notice(draft, { id: retryId(draft), tone: "warn", text: `${why}. Retrying in ${seconds} s${times}…` });
}

const retryId = (draft: Draft): string => `retry ${draft.run?.id}`;

const ENDS_RETRY: ReadonlySet<RunEvent["type"]> = new Set([
  "TEXT_MESSAGE_START",
  "REASONING_MESSAGE_START",
  "TOOL_CALL_START",
  "RUN_FINISHED",
  "RUN_ERROR",
] as const);

/** Once the model answers or the run ends, the retry is settled. */
const settleRetry = (draft: Draft): void =>
  draft.change("notice", retryId(draft), (before) => ({
    ...before,
    tone: "plain",
    text: before.text.replace(/ Retrying in .*$/, " Retried."),
  }));

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Whether a run is active or waits for a person. */
export const currentRun = ({ runs }: ConversationView): RunView | undefined => {
  const last = runs.at(-1);
  return last?.status === "running" || last?.status === "waiting" ? last : undefined;
};
