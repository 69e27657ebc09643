/**
 * Reads and drives `opencode serve`, recorded from 1.18.33: requests and answers by id, and its server-sent events.
 *
 * The server ends a turn with `session.idle`, whatever its outcome; errors are in a preceding `session.error`.
 * A refusal with a reason lets the model continue, one without ends the turn. Events of sub-agents have their own session ids.
 */
import type { AdapterEvent, AdapterStep, LineReader, RunCommand, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asObject,
  asText,
  type JsonObject,
  maybe,
  maybeNumber,
  maybeText,
  parseObject,
  type ReadRecord,
  rowsFor,
  text,
} from "../lines/json-line.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import { StreamedText } from "./streamed-text.ts";
import { UsageTotal } from "./usage-total.ts";

/** Requests to send once the server is up; absent when a recording is read. */
export interface OpencodePlan {
  readonly openSession: { readonly method: string; readonly path: string; readonly body?: JsonObject };
  /** The first prompt's parameters. */
  readonly prompt: JsonObject;
  /** The parameters that later prompts share with it. */
  readonly again: JsonObject;
}

interface State {
  readonly plan: OpencodePlan | undefined;
  readonly streamed: StreamedText;
  readonly usage: UsageTotal;
  readonly questions: Set<string>;
  readonly denied: Set<string>;
  /** Which messages are the model's. */
  readonly answers: Set<string>;
  readonly partTypes: Map<string, string>;
  readonly counted: Set<string>;
  /** Messages for turns to come: one turn at a time. */
  readonly queue: string[];
  sessionId: string | undefined;
  /** It was asked to resume or fork a session. */
  isNamed: boolean;
  running: boolean;
  error:
    | { readonly message: string; readonly status?: number | undefined; readonly name: string }
    | undefined;
  finish: string | undefined;
  /** The model has answered nothing in this step. */
  isEmpty: boolean;
  nextId: number;
  sends: string[];
}

const OPEN_ID = "open";
const PROMPTED = /^\/session\/([^/]+)\/prompt_async$/;

export function opencodeServerReader(plan?: OpencodePlan): LineReader {
  const state: State = {
    plan,
    streamed: new StreamedText(),
    usage: new UsageTotal(),
    questions: new Set(),
    denied: new Set(),
    answers: new Set(),
    partTypes: new Map(),
    counted: new Set(),
    queue: [],
    sessionId: undefined,
    isNamed: false,
    running: false,
    error: undefined,
    finish: undefined,
    isEmpty: true,
    nextId: 1,
    sends: [],
  };
  return {
    onLine(line) {
      const record = parseObject(line);
      if (!record) return { events: [] };
      state.sends = [];
      const events = "status" in record && "id" in record ? answered(record, state) : event(record, state);
      return { events, send: state.sends };
    },
    onSent(line) {
      const sent = parseObject(line);
      const path = asText(sent?.path) ?? "";
      if (sent?.id === OPEN_ID) state.isNamed = path !== "/session";
      const prompted = PROMPTED.exec(path)?.[1];
      if (prompted === undefined) return { events: [] };
      state.sessionId ??= prompted; // a recording may have lost the answer that named it
      state.error = undefined;
      state.finish = undefined;
      return { events: [{ type: "turn-opened" }] };
    },
    command: (command) => answer(command, state),
  };
}

/** The line that opens or finds the session. */
export const opencodeOpening = ({ openSession }: OpencodePlan): string =>
  JSON.stringify({ id: OPEN_ID, ...openSession });

function request(state: State, method: string, path: string, body?: JsonObject): string {
  return JSON.stringify({ id: state.nextId++, method, path, ...(body && { body }) });
}

function answered(record: JsonObject, state: State): AdapterEvent[] {
  const status = typeof record.status === "number" ? record.status : 0;
  const body = asObject(record.body) ?? {};
  if (status >= 400) return [refused(record.id, body, status, state)];
  if (record.id !== OPEN_ID) return [];
  state.sessionId = asText(body.id);
  if (state.plan) state.sends.push(prompt(state, state.plan.prompt));
  return [
    {
      type: "run-started",
      sessionId: state.sessionId,
      cwd: asText(body.directory),
      version: asText(body.version),
    },
  ];
}

/** Without a session or a prompt there is no run; any other refusal is a warning. */
function refused(id: unknown, body: JsonObject, status: number, state: State): AdapterEvent {
  const message =
    asText(asObject(body.data)?.message) ?? asText(body.message) ?? `the server answered ${status}`;
  if (id !== OPEN_ID && id !== 1) return { type: "warning", message };
  // It answers 500 to an id that is not of its own form.
  const words = id === OPEN_ID && state.isNamed ? `session not found (${message})` : message;
  return { type: "run-ended", outcome: "failed", message: `OpenCode refused the run: ${words}` };
}

const prompt = (state: State, body: JsonObject) =>
  request(state, "POST", `/session/${state.sessionId}/prompt_async`, body);

function event(record: JsonObject, state: State): readonly AdapterEvent[] {
  const properties = asObject(record.properties) ?? {};
  const ofSession = asText(properties.sessionID) ?? asText(asObject(properties.info)?.sessionID);
  const type = asText(record.type) ?? "";
  const isOurs = ofSession === undefined || ofSession === state.sessionId;
  if (!isOurs && !type.endsWith(".asked")) return [];
  return ROWS[type]?.(properties, state) ?? [];
}

const row = rowsFor<State>();
const tokens = maybe(
  z.object({
    input: maybeNumber,
    output: maybeNumber,
    reasoning: maybeNumber,
    cache: maybe(z.object({ read: maybeNumber, write: maybeNumber })),
  }),
);

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  "message.updated": row(
    {
      info: z.looseObject({
        id: text,
        role: text,
        finish: maybeText,
        structured: anything,
        time: maybe(z.looseObject({ completed: maybeNumber })),
      }),
    },
    ({ info }, state) => {
      // A fork announces the messages it copied, complete as they are; an answer of this run begins incomplete.
      const isCopied = info.time?.completed !== undefined && !state.answers.has(info.id);
      if (info.role !== "assistant" || isCopied) return [];
      state.answers.add(info.id);
      state.finish = info.finish ?? state.finish;
      return info.structured === undefined ? [] : [{ type: "structured-answer", value: info.structured }];
    },
  ),
  "message.part.updated": row(
    { part: z.looseObject({ id: text, type: text, messageID: text }) },
    ({ part }, state) => (state.answers.has(part.messageID) ? readPart(part, state) : []),
  ),
  "message.part.delta": row({ partID: text, field: text, delta: text }, ({ partID, field, delta }, state) => {
    const type = state.partTypes.get(partID);
    if (field !== "text" || type === undefined) return [];
    return written(type, state.streamed.piece(partID, delta));
  }),
  "session.status": row(
    { status: z.looseObject({ type: text, attempt: maybeNumber, message: maybeText }) },
    ({ status }, state) => {
      if (status.type === "busy") state.running = true;
      if (status.type !== "retry") return [];
      const message = status.message ?? "The model's provider failed.";
      return [{ type: "retry", message, attempt: status.attempt }];
    },
  ),
  "session.error": row(
    {
      error: maybe(
        z.object({
          name: maybeText,
          data: maybe(z.looseObject({ message: maybeText, statusCode: maybeNumber })),
        }),
      ),
    },
    ({ error }, state) => {
      const name = error?.name ?? "error";
      state.error = { name, message: error?.data?.message ?? name, status: error?.data?.statusCode };
      return [];
    },
  ),
  "session.idle": row({}, (_, state) => endTurn(state)),
  "permission.asked": row(
    {
      id: text,
      permission: text,
      patterns: anything,
      metadata: anything,
      tool: maybe(z.object({ callID: maybeText })),
    },
    ({ id, permission, patterns, metadata, tool }, state) => {
      state.questions.add(id);
      const input = asObject(metadata) ?? {};
      return [
        {
          type: "approval-requested",
          id,
          toolId: tool?.callID,
          tool: permission,
          input: Object.keys(input).length > 0 ? input : { patterns },
        },
      ];
    },
  ),
  /** A question that is not an approval; nobody can answer it, and a pending one would hang the run. */
  "question.asked": row({ id: text }, ({ id }, state) => {
    state.sends.push(request(state, "POST", `/question/${id}/reject`, {}));
    return [{ type: "warning", message: "OpenCode asked a question that nobody here can answer." }];
  }),
};

const ANSWERS = /^(text|reasoning|tool)$/;

function readPart(part: JsonObject, state: State): AdapterEvent[] {
  const id = String(part.id);
  if (ANSWERS.test(String(part.type))) state.isEmpty = false;
  if (part.type === "step-start") state.isEmpty = true;
  switch (part.type) {
    case "text":
    case "reasoning":
      state.partTypes.set(id, part.type);
      return written(part.type, state.streamed.whole(id, asText(part.text) ?? ""));
    case "step-start":
      return state.counted.has(id) ? [] : [note(id, state)];
    case "step-finish":
      return state.counted.has(id) ? [] : countStep(part, id, state);
    case "tool":
      return readTool(part, state);
    default:
      return [];
  }
}

function note(id: string, state: State): AdapterEvent {
  state.counted.add(id);
  return { type: "model-turn" };
}

const written = (type: string, piece: string): AdapterEvent[] =>
  type === "text" ? textDelta(piece) : thinkingDelta(piece);

function countStep(part: JsonObject, id: string, state: State): AdapterEvent[] {
  state.counted.add(id);
  const used = tokens.parse(part.tokens);
  const cost = typeof part.cost === "number" ? part.cost : undefined;
  const total = state.usage.add({
    inputTokens: used?.input,
    outputTokens: (used?.output ?? 0) + (used?.reasoning ?? 0),
    cachedInputTokens: used?.cache?.read,
    cacheWriteTokens: used?.cache?.write,
    thinkingTokens: used?.reasoning,
    costUsd: cost,
  });
  return state.isEmpty && part.reason === NO_REASON ? [total, { type: "retry", message: EMPTY }] : [total];
}

/** Why a step without a stop reason ended: the program would make further steps for ever. */
const NO_REASON = "unknown";
const EMPTY = "Failed to get a response: the model's answer was empty, and OpenCode asks again.";

const call = z.object({
  status: text,
  input: anything,
  output: maybeText,
  error: maybeText,
  metadata: maybe(z.looseObject({ exit: maybeNumber })),
});
const REJECTED = /rejected permission|denied by|prevents you from using|user rejected/i;

function readTool(part: JsonObject, state: State): AdapterEvent[] {
  const id = asText(part.callID);
  const parsed = call.safeParse(part.state);
  if (id === undefined || !parsed.success || parsed.data.status === "pending") return [];
  const { status, input, output, error, metadata } = parsed.data;
  const tool = asText(part.tool) ?? "unknown";
  const started: AdapterEvent = { type: "tool-started", id, tool, input: input ?? {} };
  if (status === "running") return [started];
  const denied = status === "error" && (state.denied.has(id) || REJECTED.test(error ?? ""));
  const isError = status === "error" || (metadata?.exit ?? 0) !== 0;
  const ended = { type: "tool-ended" as const, id, tool, output: output ?? error ?? "", isError };
  return [started, { ...ended, ...(denied && { denied }) }];
}

/** The server says idle twice after an error, and once before a queued message begins. */
function endTurn(state: State): AdapterEvent[] {
  if (!state.running) return [];
  state.running = false;
  const next = state.queue.shift();
  if (next !== undefined)
    state.sends.push(prompt(state, { ...state.plan?.again, parts: [{ type: "text", text: next }] }));
  return [ending(state)];
}

function ending({ error, finish, sessionId }: State): RunEnded {
  const ended = { type: "run-ended" as const, sessionId };
  if (error?.name === "MessageAbortedError") return { ...ended, outcome: "aborted", message: "Interrupted." };
  if (error) return { ...ended, outcome: "failed", message: error.message, status: error.status };
  if (finish === "length") {
    return { ...ended, outcome: "limit", limit: "tokens", message: "The model reached its token limit." };
  }
  if (finish === "content-filter" || finish === "error") {
    return { ...ended, outcome: "failed", message: `The model stopped: ${finish}.` };
  }
  return { ...ended, outcome: "done" };
}

function answer(command: RunCommand, state: State): AdapterStep | undefined {
  switch (command.type) {
    case "approve":
    case "deny": {
      if (!state.questions.delete(command.id)) return undefined;
      const body =
        command.type === "approve"
          ? { reply: "once" }
          : { reply: "reject", message: command.reason ?? "The user refused this call." };
      return { events: [], send: [request(state, "POST", `/permission/${command.id}/reply`, body)] };
    }
    case "interrupt":
      if (state.sessionId === undefined) return undefined;
      return { events: [], send: [request(state, "POST", `/session/${state.sessionId}/abort`, {})] };
    case "send": {
      if (state.sessionId === undefined) return undefined;
      state.queue.push(command.text);
      return { events: [] };
    }
  }
}
