/**
 * Reads and drives `codex app-server`, recorded from 0.166.0: JSON-RPC lines without the `jsonrpc` key.
 *
 * The conversation: initialize, initialized, thread/start (or resume, or fork), turn/start, and then notifications until
 * `turn/completed`. Approvals are requests of the server; each must be answered or the turn hangs.
 */
import type { AdapterEvent, AdapterStep, LineReader, RunCommand, RunEnded } from "@capstan/core/internal";
import { asObject, asText, type JsonObject, parseObject } from "../lines/json-line.ts";
import { codexAttempt, codexError, codexFailure } from "./codex-exec-reader.ts";
import { itemCompleted, itemStarted } from "./codex-items.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import { RpcBook, type RpcId, type RpcMessage } from "./json-rpc.ts";
import { StreamedText } from "./streamed-text.ts";
import { uncached, usage } from "./usage-total.ts";

/** Requests to send once the server is up; absent when a recording is read. */
export interface CodexPlan {
  /** Asked before there is a thread; a refusal is a warning. */
  readonly before: readonly { readonly method: string; readonly params: JsonObject }[];
  readonly openThread: { readonly method: string; readonly params: JsonObject };
  /** The first turn's parameters, without the thread's id. */
  readonly turn: JsonObject;
}

interface State {
  readonly book: RpcBook;
  readonly streamed: StreamedText;
  readonly plan: CodexPlan | undefined;
  readonly questions: Map<string, Question>;
  threadId: string | undefined;
  turnId: string | undefined;
  running: boolean;
  /** Sent into the turn and not confirmed. */
  steering: unknown;
  /** Not accepted by the turn because it had just ended: starts the next one. */
  readonly waiting: unknown[];
  /** Nobody is logged in, and its provider needs it. */
  needsLogin: boolean;
  /** The thread's totals before this run. */
  before: JsonObject;
}

interface Question {
  readonly id: RpcId;
  readonly approve: unknown;
  readonly deny: unknown;
}

export function codexAppServerReader(plan?: CodexPlan, book = new RpcBook()): LineReader {
  const state: State = {
    book,
    streamed: new StreamedText(),
    plan,
    questions: new Map(),
    threadId: undefined,
    turnId: undefined,
    running: false,
    steering: undefined,
    waiting: [],
    needsLogin: false,
    before: {},
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
      if (method !== "turn/start") return { events: [] };
      state.running = true;
      return { events: [{ type: "turn-opened" }] };
    },
    command: (command) => answer(command, state),
  };
}

function read(message: RpcMessage, state: State): AdapterStep {
  switch (message.kind) {
    case "notification":
      if (isOfAnotherThread(message.params, state)) return { events: [] };
      return { events: NOTIFICATIONS[message.method]?.(message.params, state) ?? [], send: nextTurn(state) };
    case "request":
      return ask(message.id, message.method, message.params, state);
    case "result":
      return proceed(message.method, message.result, state);
    case "error":
      if (message.method === "turn/steer" && state.steering !== undefined) {
        state.waiting.push(state.steering);
        state.steering = undefined;
        return { events: [], send: nextTurn(state) };
      }
      return {
        events: message.method === ACCOUNT.method ? [] : [refused(message.method, message.error.message)],
      };
  }
}

/** Sub-agents and forks are separate threads; their ends are not ours. */
function isOfAnotherThread({ threadId }: JsonObject, state: State): boolean {
  return state.threadId !== undefined && asText(threadId) !== undefined && threadId !== state.threadId;
}

/** The next step of the conversation after an answer. */
function proceed(method: string | undefined, result: JsonObject, state: State): AdapterStep {
  const { book, plan } = state;
  if (method === "initialize" && plan) {
    const requests = [ACCOUNT, ...plan.before, plan.openThread].map(({ method, params }) =>
      book.request(method, params),
    );
    return { events: [], send: [book.notification("initialized"), ...requests] };
  }
  if (method === "thread/start" || method === "thread/resume" || method === "thread/fork") {
    const thread = asObject(result.thread);
    const events = startedBy(thread, state);
    if (!plan || state.threadId === undefined) return { events };
    return { events, send: [book.request("turn/start", { threadId: state.threadId, ...plan.turn })] };
  }
  if (method === ACCOUNT.method) {
    state.needsLogin = result.requiresOpenaiAuth === true && result.account === null;
    return { events: [] };
  }
  if (method === "turn/start") noteTurn(asObject(result.turn), state);
  if (method === "turn/steer") state.steering = undefined;
  return { events: [] };
}

/** Who is logged in. Older versions refuse to say. */
const ACCOUNT = { method: "account/read", params: { refreshToken: false } };

function nextTurn({ book, threadId, running, waiting }: State): string[] {
  if (running || waiting.length === 0) return [];
  return [book.request("turn/start", { threadId, input: waiting.shift() })];
}

function refused(method: string | undefined, message: string): AdapterEvent {
  const fatal =
    method === undefined || method === "initialize" || /^(thread|turn)\/(start|resume|fork)$/.test(method);
  return fatal ? codexFailure(message) : { type: "warning", message: `${method}: ${message}` };
}

type ReadNotification = (params: JsonObject, state: State) => AdapterEvent[];

const warn: ReadNotification = ({ message, summary }) => [
  { type: "warning", message: asText(message) ?? asText(summary) ?? "Codex warns." },
];

const NOTIFICATIONS: Readonly<Record<string, ReadNotification>> = {
  __proto__: null as never, // a line may name "constructor"
  "thread/started": ({ thread }, state) => startedBy(asObject(thread), state),
  "turn/started": ({ turn }, state) => {
    noteTurn(asObject(turn), state);
    return [];
  },
  "turn/completed": ({ turn }, state) => {
    state.running = false;
    return [ending(asObject(turn) ?? {})];
  },
  "item/started": ({ item }) => itemStarted(asObject(item) ?? {}),
  "item/completed": ({ item }, state) => itemCompleted(asObject(item) ?? {}, state.streamed),
  "item/agentMessage/delta": ({ itemId, delta }, { streamed }) =>
    textDelta(streamed.piece(asText(itemId) ?? "", asText(delta) ?? "")),
  "item/plan/delta": ({ itemId, delta }, { streamed }) =>
    textDelta(streamed.piece(asText(itemId) ?? "", asText(delta) ?? "")),
  "item/reasoning/summaryTextDelta": ({ itemId, delta }, { streamed }) =>
    thinkingDelta(streamed.piece(asText(itemId) ?? "", asText(delta) ?? "")),
  "item/reasoning/textDelta": ({ itemId, delta }, { streamed }) =>
    thinkingDelta(streamed.piece(asText(itemId) ?? "", asText(delta) ?? "")),
  "item/reasoning/summaryPartAdded": ({ itemId, summaryIndex }, { streamed }) =>
    summaryIndex === 0 ? [] : thinkingDelta(streamed.piece(asText(itemId) ?? "", "\n\n")),
  "thread/tokenUsage/updated": ({ tokenUsage }, state) => {
    const total = asObject(asObject(tokenUsage)?.total) ?? {};
    if (state.turnId !== undefined) return [{ type: "model-turn" }, used(total, state.before)];
    state.before = total; // a resumed or forked thread first reports the cost of its history
    return [];
  },
  error: ({ error, willRetry }, state) => {
    const { message: words, additionalDetails, codexErrorInfo } = asObject(error) ?? {};
    const message = asText(words) ?? "Codex failed.";
    if (willRetry !== true) return [codexError(message)];
    const why = asText(additionalDetails); // its message is "Reconnecting... 1/5"
    const told = why === undefined ? message : `${message}: ${why}`;
    const status = statusOf(codexErrorInfo);
    const retry: AdapterEvent = { type: "retry", message: told, ...codexAttempt(message), status };
    // A custom proxy may need no login, so this is only reported when there was no answer.
    return state.needsLogin && status === undefined ? [retry, notLoggedIn(why ?? message)] : [retry];
  },
  warning: warn,
  configWarning: warn,
  guardianWarning: warn,
  deprecationNotice: () => [], // about this client's own calls
  "auth/recovery": warn,
  "model/rerouted": ({ fromModel, toModel }) => [
    { type: "warning", message: `The model ${String(fromModel)} was replaced by ${String(toModel)}.` },
  ],
};

const notLoggedIn = (why: string): RunEnded => ({
  type: "run-ended",
  outcome: "failed",
  message: `Not logged in, and the provider cannot be reached: ${why}`,
});

/** `{ "responseStreamDisconnected": { "httpStatusCode": 401 } }` */
function statusOf(info: unknown): number | undefined {
  const statuses = Object.values(asObject(info) ?? {}).map((kind) => asObject(kind)?.httpStatusCode);
  return statuses.find((status) => typeof status === "number");
}

function startedBy(thread: JsonObject | undefined, state: State): AdapterEvent[] {
  const sessionId = asText(thread?.id);
  if (sessionId === undefined || (state.threadId ?? sessionId) !== sessionId) return [];
  state.threadId = sessionId;
  return [
    {
      type: "run-started",
      sessionId,
      model: asText(thread?.model),
      cwd: asText(thread?.cwd),
      version: asText(thread?.cliVersion),
    },
  ];
}

function noteTurn(turn: JsonObject | undefined, state: State): void {
  state.turnId = asText(turn?.id) ?? state.turnId;
  state.running = true;
}

function used(total: JsonObject, before: JsonObject): AdapterEvent {
  const count = (key: string) => asCount(total[key]) - asCount(before[key]);
  return usage({
    inputTokens: uncached(count("inputTokens"), count("cachedInputTokens")),
    outputTokens: count("outputTokens"),
    cachedInputTokens: count("cachedInputTokens"),
    cacheWriteTokens: count("cacheWriteInputTokens"),
    thinkingTokens: count("reasoningOutputTokens"),
  });
}

const asCount = (value: unknown): number => (typeof value === "number" ? value : 0);

function ending(turn: JsonObject): RunEnded {
  const error = asObject(turn.error);
  const message = asText(error?.message) ?? "The turn failed.";
  switch (turn.status) {
    case "completed":
      return { type: "run-ended", outcome: "done" };
    case "interrupted":
      return { type: "run-ended", outcome: "aborted", message: "Interrupted." };
    default:
      return error?.codexErrorInfo === "sessionBudgetExceeded"
        ? { type: "run-ended", outcome: "limit", limit: "cost", message }
        : codexFailure(message);
  }
}

/** How each kind of question is presented to a person, and the two answers in the protocol. */
const QUESTIONS: Readonly<Record<string, (params: JsonObject) => QuestionForm>> = {
  __proto__: null as never, // a line may name "constructor"
  "item/commandExecution/requestApproval": ({ itemId, command, cwd, reason }) => ({
    ...DECISIONS,
    ask: {
      toolId: asText(itemId),
      tool: "command_execution",
      input: { command, cwd },
      reason: asText(reason),
    },
  }),
  "item/fileChange/requestApproval": ({ itemId, reason, grantRoot }) => ({
    ...DECISIONS,
    ask: { toolId: asText(itemId), tool: "file_change", input: { grantRoot }, reason: asText(reason) },
  }),
  "item/permissions/requestApproval": ({ itemId, permissions, reason }) => ({
    approve: { permissions, scope: "turn" },
    deny: { permissions: {}, scope: "turn" },
    ask: { toolId: asText(itemId), tool: "permissions", input: permissions, reason: asText(reason) },
  }),
  "mcpServer/elicitation/request": ({ message, serverName, _meta }) => ({
    approve: { action: "accept", content: {} },
    deny: { action: "decline", content: null },
    ask: {
      ...elicitedCall(asText(serverName) ?? "mcp", asText(message) ?? "", asObject(_meta)),
      reason: asText(message),
    },
  }),
  execCommandApproval: ({ callId, command, cwd, reason }) => ({
    ...LEGACY_DECISIONS,
    ask: {
      toolId: asText(callId),
      tool: "command_execution",
      input: { command, cwd },
      reason: asText(reason),
    },
  }),
  applyPatchApproval: ({ callId, fileChanges, reason }) => ({
    ...LEGACY_DECISIONS,
    ask: { toolId: asText(callId), tool: "file_change", input: { fileChanges }, reason: asText(reason) },
  }),
};

/** Its own question about a call names the tool only in its text; an MCP server's question may be about anything. */
function elicitedCall(server: string, message: string, meta: JsonObject | undefined) {
  const tool = /run tool "([^"]+)"/.exec(message)?.[1];
  return meta?.codex_approval_kind === "mcp_tool_call" && tool !== undefined
    ? { tool: `${server}.${tool}`, input: meta.tool_params ?? {} }
    : { tool: server, input: { message } };
}

interface QuestionForm {
  readonly approve: unknown;
  readonly deny: unknown;
  readonly ask: { toolId?: string | undefined; tool: string; input: unknown; reason?: string | undefined };
}

const DECISIONS = { approve: { decision: "accept" }, deny: { decision: "decline" } };
const LEGACY_DECISIONS = { approve: { decision: "approved" }, deny: { decision: "denied" } };

function ask(id: RpcId, method: string, params: JsonObject, state: State): AdapterStep {
  const form = QUESTIONS[method]?.(params);
  if (!form) return { events: [], send: [state.book.refusal(id, `This client does not support ${method}.`)] };
  const key = String(id);
  state.questions.set(key, { id, approve: form.approve, deny: form.deny });
  return { events: [{ type: "approval-requested", id: key, ...form.ask }] };
}

function answer(command: RunCommand, state: State): AdapterStep | undefined {
  const { book, threadId, turnId } = state;
  switch (command.type) {
    case "approve":
    case "deny": {
      const question = state.questions.get(command.id);
      if (!question) return undefined;
      state.questions.delete(command.id);
      return { events: [], send: [book.result(question.id, question[command.type])] };
    }
    case "interrupt":
      if (threadId === undefined || turnId === undefined) return undefined;
      return { events: [], send: [book.request("turn/interrupt", { threadId, turnId })] };
    case "send": {
      if (threadId === undefined) return undefined;
      const input = [{ type: "text", text: command.text, text_elements: [] }];
      state.steering = state.running ? input : undefined;
      const send = state.running
        ? book.request("turn/steer", { threadId, expectedTurnId: turnId, input })
        : book.request("turn/start", { threadId, input });
      return { events: [], send: [send] };
    }
  }
}
