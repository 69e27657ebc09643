/**
 * Reads and drives any agent with the Agent Client Protocol, version 1, as JSON-RPC lines.
 *
 * Three surprises. An agent may update a tool it never announced (the call was in the permission request). Loading a
 * session replays its history, which is not part of this run. And some agents report a failed request as `end_turn` with the
 * error as text, or with nothing at all: `quirks` describe how to detect it.
 */
import type { AdapterEvent, AdapterStep, LineReader, RunCommand, RunEnded } from "@capstan/core/internal";
import { asObject, asText, type JsonObject, parseObject } from "../lines/json-line.ts";
import { acpMessage } from "./acp-message.ts";
import { AcpTools } from "./acp-tools.ts";
import { acpUsage } from "./acp-usage.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import { RpcBook, type RpcError, type RpcId, type RpcMessage } from "./json-rpc.ts";

/** How an agent deviates from the protocol. Patterns are matched against a whole text chunk. */
export interface AcpQuirks {
  /** Chunks that are not the model's text. */
  readonly banner?: RegExp;
  readonly warning?: RegExp;
  readonly retry?: RegExp;
  /** A chunk that is an error, if the turn's result has no usage. */
  readonly error?: RegExp;
  /** A turn that ends without text, calls and usage has failed. */
  readonly silenceIsFailure?: boolean;
  /** Its turns end with text: a turn without text after its last call has failed, whatever its usage. */
  readonly endsWithText?: boolean;
  /** A meaningless prefix of each thought. */
  readonly thoughtHeading?: RegExp;
  /** It removes white space at the end of a message. */
  readonly trimsEnd?: boolean;
  /** A call's first title is the tool's name. */
  readonly titleIsName?: boolean;
  /** Extracts the tool's name from the call's id. */
  readonly toolOfId?: (id: string) => string | undefined;
}

/** Requests to send once the agent is up; absent when a recording is read. */
export interface AcpPlan {
  /** Depends on the agent's declared capabilities. */
  readonly openSession: (agentCapabilities: JsonObject) => {
    readonly method: string;
    readonly params: JsonObject;
  };
  /** After the session is open and before the prompt; a refusal is a warning. */
  readonly settings: readonly { readonly method: string; readonly params: JsonObject }[];
  readonly prompt: readonly JsonObject[];
}

interface State {
  readonly book: RpcBook;
  readonly quirks: AcpQuirks;
  readonly plan: AcpPlan | undefined;
  readonly tools: AcpTools;
  readonly questions: Map<string, Question>;
  sessionId: string | undefined;
  /** While a stored session is loaded, updates are its history. */
  loading: boolean;
  pendingSettings: number;
  running: boolean;
  /** The turn was cancelled: earlier questions count as interrupted, not as denied. */
  cancelled: boolean;
  /** A question of this turn was denied; some agents then end their turn. */
  refused: boolean;
  /** Messages for later turns: one turn at a time. */
  readonly queue: string[];
  /** What this turn has shown so far. */
  spoke: boolean;
  /** No text yet, or none since the last call. */
  silent: boolean;
  errorText: string | undefined;
  /** The turn claims to have ended successfully, but reported no usage. */
  endedWithoutUsage: boolean;
  costUsd: number | undefined;
}

interface Question {
  readonly id: RpcId;
  readonly toolId: string | undefined;
  readonly approve: string | undefined;
  readonly deny: string | undefined;
}

const OPENING = /^session\/(new|load|resume|fork)$/;

export function acpReader(quirks: AcpQuirks = {}, plan?: AcpPlan, book = acpBook()): LineReader {
  const state: State = {
    book,
    quirks,
    plan,
    tools: new AcpTools(quirks),
    questions: new Map(),
    sessionId: undefined,
    loading: false,
    pendingSettings: 0,
    running: false,
    cancelled: false,
    refused: false,
    queue: [],
    spoke: false,
    silent: true,
    errorText: undefined,
    endedWithoutUsage: false,
    costUsd: undefined,
  };
  return {
    onLine(line) {
      const record = parseObject(line);
      const message = record && state.book.received(record);
      return message ? read(message, state) : { events: [] };
    },
    onSent(line) {
      const record = parseObject(line);
      const method = record && state.book.sent(record);
      if (record && method === undefined) return { events: noteAnswer(record, state) };
      if (method === "session/load") state.loading = true;
      if (method === "session/cancel") state.cancelled = true;
      if (method !== "session/prompt") return { events: [] };
      state.running = true;
      state.cancelled = false;
      state.refused = false;
      state.spoke = false;
      state.silent = true;
      state.errorText = undefined;
      state.endedWithoutUsage = false;
      return { events: [{ type: "turn-opened" }] };
    },
    command: (command) => answer(command, state),
    end: () => state.tools.flush(),
  };
}

/** Numbering of a live conversation starts before there is a reader: with `initialize`. */
export const acpBook = () => new RpcBook({ jsonrpc: "2.0" });

export const acpInitialize = (book: RpcBook): string =>
  book.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "capstan", version: "0.1.0" },
  });

function read(message: RpcMessage, state: State): AdapterStep {
  switch (message.kind) {
    case "notification":
      if (message.method !== "session/update" || state.loading) return { events: [] };
      return { events: readUpdate(asObject(message.params.update) ?? {}, state) };
    case "request":
      return ask(message.id, message.method, message.params, state);
    case "result":
      return proceed(message.method, message.result, state);
    case "error":
      return refused(message.method, message.error, state);
  }
}

/** The next step after an answer. An answer with a stop reason ends the turn. */
function proceed(method: string | undefined, result: JsonObject, state: State): AdapterStep {
  const { book, plan } = state;
  const stopReason = asText(result.stopReason);
  if (stopReason !== undefined)
    return { events: endTurn(stopReason, result, state), send: nextPrompt(state) };
  if (method === "initialize" && plan) {
    const open = plan.openSession(asObject(result.agentCapabilities) ?? {});
    state.sessionId = asText(open.params.sessionId);
    return { events: [], send: [book.request(open.method, open.params)] };
  }
  const openedId = asText(result.sessionId);
  if (openedId !== undefined || (method !== undefined && OPENING.test(method))) {
    state.loading = false;
    state.sessionId = openedId ?? state.sessionId;
    return { events: [started(result, state)], send: afterOpening(state) };
  }
  return { events: [], send: afterSetting(method, state) };
}

function started(result: JsonObject, state: State): AdapterEvent {
  const model = asText(asObject(result.models)?.currentModelId);
  return { type: "run-started", sessionId: state.sessionId, model };
}

function afterOpening(state: State): string[] {
  const { plan, book, sessionId } = state;
  if (!plan) return [];
  if (plan.settings.length === 0) return [promptOf(plan, state)];
  state.pendingSettings = plan.settings.length;
  return plan.settings.map(({ method, params }) => book.request(method, { sessionId, ...params }));
}

/** The prompt waits for all settings, including refused ones. */
function afterSetting(method: string | undefined, state: State): string[] {
  if (!state.plan || state.pendingSettings === 0 || !method?.startsWith("session/set_")) return [];
  state.pendingSettings -= 1;
  return state.pendingSettings === 0 ? [promptOf(state.plan, state)] : [];
}

function nextPrompt(state: State): string[] {
  const text = state.queue.shift();
  state.running = false;
  return text === undefined ? [] : [promptText(text, state)];
}

const promptText = (text: string, { book, sessionId, quirks }: State) =>
  book.request("session/prompt", { sessionId, prompt: acpMessage(text, quirks) });

const promptOf = (plan: AcpPlan, { book, sessionId }: State) =>
  book.request("session/prompt", { sessionId, prompt: plan.prompt });

function refused(method: string | undefined, error: RpcError, state: State): AdapterStep {
  const send = afterSetting(method, state);
  if (
    method !== undefined &&
    method !== "initialize" &&
    method !== "session/prompt" &&
    !OPENING.test(method)
  ) {
    return { events: [{ type: "warning", message: `${method} was refused: ${error.message}` }], send };
  }
  const { code } = error;
  const status = code !== undefined && code >= 400 && code < 600 ? code : undefined;
  return {
    events: [
      ...state.tools.flush(),
      { type: "run-ended", outcome: "failed", message: error.message, status },
    ],
  };
}

function readUpdate(update: JsonObject, state: State): AdapterEvent[] {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return readChunk(chunkText(update), asText(update.messageId), state);
    case "agent_thought_chunk":
      state.spoke = true;
      return [...state.tools.flush(), ...thinkingDelta(thoughtText(update, state))];
    case "tool_call":
    case "tool_call_update":
      state.spoke = true;
      state.silent = true;
      return state.tools.update(update);
    case "usage_update": {
      const amount = asObject(update.cost)?.amount;
      if (typeof amount === "number") state.costUsd = amount;
      return [];
    }
    default:
      return [];
  }
}

const thoughtText = (update: JsonObject, { quirks: { thoughtHeading } }: State) =>
  thoughtHeading ? chunkText(update).replace(thoughtHeading, "") : chunkText(update);

const chunkText = (update: JsonObject) => asText(asObject(update.content)?.text) ?? "";

function readChunk(chunk: string, messageId: string | undefined, state: State): AdapterEvent[] {
  const { banner, warning, retry, error } = state.quirks;
  if (banner?.test(chunk)) return [];
  if (retry?.test(chunk)) return [{ type: "retry", message: chunk.trim() }];
  if (messageId === undefined && warning?.test(chunk)) return [{ type: "warning", message: chunk.trim() }];
  state.errorText = error?.test(chunk) ? chunk.trim() : undefined;
  if (chunk.trim() !== "") {
    state.spoke = true;
    state.silent = false;
  }
  return [...state.tools.flush(), ...textDelta(chunk), ...hiddenFailure(state)];
}

const ENDINGS: Readonly<Record<string, Pick<RunEnded, "outcome" | "limit" | "message">>> = {
  __proto__: null as never, // a line may name "constructor"
  end_turn: { outcome: "done" },
  cancelled: { outcome: "aborted", message: "Interrupted." },
  max_turn_requests: { outcome: "limit", limit: "turns", message: "The agent reached its turn limit." },
  max_tokens: { outcome: "limit", limit: "tokens", message: "The model reached its token limit." },
  refusal: { outcome: "failed", message: "The agent refused to continue." },
};

function endTurn(stopReason: string, result: JsonObject, state: State): AdapterEvent[] {
  const used = acpUsage(result, state.costUsd);
  const ending = endingOf(stopReason, state);
  state.endedWithoutUsage = stopReason === "end_turn" && !used;
  return [
    ...state.tools.flush(),
    ...(used ? [used] : []),
    { type: "run-ended", sessionId: state.sessionId, ...ending },
    ...hiddenFailure(state),
  ];
}

/** Why a turn failed that the agent itself stopped. */
export const CANCELLED_UNASKED = "The agent cancelled its turn, and nobody had asked it to.";

const NO_ANSWER =
  "The agent failed to get a response: its model's answer was empty, or ended before it was complete.";

/** Only a turn that we cancelled, or with a denial, counts as interrupted: Copilot also cancels turns that stream too fast for it. */
function endingOf(
  stopReason: string,
  { cancelled, refused, silent, quirks }: State,
): Pick<RunEnded, "outcome" | "message" | "limit"> {
  if (stopReason === "cancelled" && !cancelled && !refused)
    return { outcome: "failed", message: CANCELLED_UNASKED };
  if (stopReason === "end_turn" && quirks.endsWithText === true && silent && !cancelled && !refused)
    return { outcome: "failed", message: NO_ANSWER };
  return ENDINGS[stopReason] ?? { outcome: "failed", message: `It stopped: ${stopReason}.` };
}

/** An `end_turn` that hides a failed request: with the error as its text, or with nothing. */
function hiddenFailure({ endedWithoutUsage, errorText, spoke, quirks, sessionId }: State): AdapterEvent[] {
  const silent = quirks.silenceIsFailure === true && !spoke;
  if (!endedWithoutUsage || (errorText === undefined && !silent)) return [];
  const message = errorText ?? "The agent ended its turn without output; its model provider probably failed.";
  return [{ type: "run-ended", outcome: "failed", sessionId, message }];
}

function ask(id: RpcId, method: string, params: JsonObject, state: State): AdapterStep {
  if (method !== "session/request_permission") {
    return { events: [], send: [state.book.refusal(id, `This client does not support ${method}.`)] };
  }
  const call = asObject(params.toolCall) ?? {};
  const announced = state.tools.announce(call);
  const key = String(id);
  state.questions.set(key, {
    id,
    toolId: announced.call.toolId,
    approve: optionOf(params.options, ["allow_once", "allow_always"]),
    deny: optionOf(params.options, ["reject_once", "reject_always"]),
  });
  state.spoke = true;
  return { events: [...announced.events, { type: "approval-requested", id: key, ...announced.call }] };
}

/** Our answer was sent: the question is settled, and a refused call is recorded as denied. */
function noteAnswer(record: JsonObject, state: State): AdapterEvent[] {
  const key = String(record.id);
  const question = state.questions.get(key);
  if (!question) return [];
  state.questions.delete(key);
  if (state.cancelled) return [];
  const outcome = asObject(asObject(record.result)?.outcome);
  const allowed = outcome?.outcome === "selected" && outcome.optionId !== question.deny;
  if (!allowed) state.refused = true;
  return allowed || question.toolId === undefined ? [] : state.tools.deny(question.toolId);
}

function optionOf(options: unknown, kinds: readonly string[]): string | undefined {
  const offered = (Array.isArray(options) ? options : []).map((option) => asObject(option) ?? {});
  for (const kind of kinds) {
    const option = offered.find((candidate) => candidate.kind === kind);
    if (option) return asText(option.optionId);
  }
  return undefined;
}

function answer(command: RunCommand, state: State): AdapterStep | undefined {
  const { book, sessionId } = state;
  switch (command.type) {
    case "approve":
    case "deny": {
      const question = state.questions.get(command.id);
      if (!question) return undefined;
      const optionId = question[command.type];
      const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
      return { events: [], send: [book.result(question.id, { outcome })] };
    }
    case "interrupt": {
      if (sessionId === undefined) return undefined;
      // The protocol requires that pending questions are answered as cancelled.
      const open = [...state.questions.values()].map(({ id }) =>
        book.result(id, { outcome: { outcome: "cancelled" } }),
      );
      return { events: [], send: [book.notification("session/cancel", { sessionId }), ...open] };
    }
    case "send":
      if (sessionId === undefined) return undefined;
      if (!state.running) return { events: [], send: [promptText(command.text, state)] };
      state.queue.push(command.text);
      return { events: [] };
  }
}

export const isAcp = (message: unknown): boolean => asObject(message)?.jsonrpc === "2.0";
