/**
 * Reads Pi's events, from `--mode json` and `--mode rpc` (0.87.1), and those of its relative omp (18.2.3).
 *
 * Pi ends with `agent_settled` (an `agent_end` may be retried), omp with a terminal `agent_end`. Whether that is a success
 * is in the last assistant message; the exit code is 0 either way.
 */
import type { AdapterEvent, AdapterStep, LineReader, RunCommand, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asObject,
  asText,
  contentText,
  type JsonObject,
  maybe,
  maybeFlag,
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

export interface PiFlavour {
  readonly terminal: "agent_settled" | "agent_end";
}

interface State {
  readonly flavour: PiFlavour;
  readonly streamed: StreamedText;
  readonly usage: UsageTotal;
  /** Dialogs of extensions that wait for an answer. */
  readonly dialogs: Map<string, string>;
  last: AssistantMessage | undefined;
  /** The message whose usage was counted; its end is repeated by the turn's. */
  counted: string | undefined;
  running: boolean;
  /** Messages sent into a running turn and not confirmed: the turn may end before it reads them. */
  unconfirmed: number;
  sends: string[];
}

export function piReader(flavour: PiFlavour): LineReader {
  const state: State = {
    flavour,
    streamed: new StreamedText(),
    usage: new UsageTotal(),
    dialogs: new Map(),
    last: undefined,
    counted: undefined,
    running: false,
    unconfirmed: 0,
    sends: [],
  };
  return {
    onLine(line) {
      const record = parseObject(line);
      if (!record) return { events: [] };
      state.sends = [];
      const events = ROWS[asText(record.type) ?? ""]?.(record, state) ?? [];
      return { events, send: state.sends };
    },
    onSent(line) {
      const type = parseObject(line)?.type;
      if (type !== "prompt") return { events: [] };
      if (state.running) {
        state.unconfirmed += 1;
        return { events: [] };
      }
      state.last = undefined;
      return { events: [{ type: "turn-opened" }] };
    },
    command: (command) => answer(command, state),
  };
}

export const piPrompt = (id: string, message: string, images: readonly JsonObject[] = []): string =>
  JSON.stringify({ id, type: "prompt", message, ...(images.length > 0 && { images }) });

const assistantMessage = z.object({
  role: z.literal("assistant"),
  content: anything,
  model: maybeText,
  stopReason: maybeText,
  errorMessage: maybeText,
  errorStatus: maybeNumber,
  responseId: maybeText,
  timestamp: anything,
  usage: maybe(
    z.object({
      input: maybeNumber,
      output: maybeNumber,
      cacheRead: maybeNumber,
      cacheWrite: maybeNumber,
      reasoning: maybeNumber,
      reasoningTokens: maybeNumber,
      cost: maybe(z.object({ total: maybeNumber })),
    }),
  ),
});
type AssistantMessage = z.output<typeof assistantMessage>;

const row = rowsFor<State>();

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  session: row({ id: text, cwd: maybeText }, ({ id: sessionId, cwd }) => [
    { type: "run-started", sessionId, cwd },
  ]),
  agent_start: row({}, (_, state) => {
    state.running = true;
    state.unconfirmed = 0; // a message that was too late for the previous turn has started its own
    return [{ type: "run-started" }];
  }),
  turn_start: row({}, () => [{ type: "model-turn" }]),
  message_start: row({ message: z.looseObject({ role: text }) }, ({ message }, state) => {
    if (message.role === "assistant") state.streamed.clear();
    return [];
  }),
  message_update: row({ assistantMessageEvent: z.looseObject({ type: text }) }, (data, state) =>
    readUpdate(data.assistantMessageEvent, state),
  ),
  message_end: row({ message: z.looseObject({ role: text }) }, ({ message }, state) =>
    readMessage(message, state),
  ),
  turn_end: row({ message: maybe(z.looseObject({ role: text })) }, ({ message }, state) =>
    message ? readMessage(message, state) : [],
  ),
  tool_execution_start: row({ toolCallId: text, toolName: text, args: anything }, (data) => [
    { type: "tool-started", id: data.toolCallId, tool: data.toolName, input: data.args ?? {} },
  ]),
  tool_execution_end: row(
    { toolCallId: text, toolName: maybeText, result: anything, isError: maybeFlag },
    ({ toolCallId, toolName, result, isError }) => [
      toolEnded(toolCallId, toolName, asObject(result)?.content ?? result, isError === true),
    ],
  ),
  auto_retry_start: row(
    { attempt: maybeNumber, maxAttempts: maybeNumber, delayMs: maybeNumber, errorMessage: maybeText },
    ({ attempt, maxAttempts, delayMs, errorMessage }) => [
      {
        type: "retry",
        message: errorMessage ?? "The model's provider failed.",
        attempt,
        maxAttempts,
        delayMs,
      },
    ],
  ),
  compaction_end: row({ errorMessage: maybeText }, ({ errorMessage }) => [
    { type: "warning", code: "compacted", message: errorMessage ?? "The conversation was compacted." },
  ]),
  agent_settled: row({}, (_, state) => {
    state.running = false;
    return state.flavour.terminal === "agent_settled" && state.unconfirmed === 0 ? [ending(state)] : [];
  }),
  agent_end: row({ isTerminal: maybeFlag }, ({ isTerminal }, state) => {
    if (state.flavour.terminal !== "agent_end" || isTerminal === false) return [];
    state.running = false;
    return state.unconfirmed === 0 ? [ending(state)] : [];
  }),
  response: row(
    { command: maybeText, success: maybeFlag, error: maybeText, data: anything },
    ({ command, success, error, data }, state) => {
      if (command === "prompt") state.unconfirmed = Math.max(0, state.unconfirmed - 1);
      return readResponse(command, success, error, asObject(data));
    },
  ),
  extension_ui_request: row({ id: text, method: text, title: maybeText, message: maybeText }, readDialog),
};

function readUpdate(update: JsonObject, { streamed }: State): AdapterEvent[] {
  const key = `${String(update.contentIndex)}`;
  switch (update.type) {
    case "text_delta":
      return textDelta(streamed.piece(`text-${key}`, asText(update.delta) ?? ""));
    case "text_end":
      return textDelta(streamed.whole(`text-${key}`, asText(update.content) ?? ""));
    case "thinking_delta":
      return thinkingDelta(streamed.piece(`thinking-${key}`, asText(update.delta) ?? ""));
    case "thinking_end":
      return thinkingDelta(streamed.whole(`thinking-${key}`, asText(update.content) ?? ""));
    default:
      return [];
  }
}

function readMessage(message: JsonObject, state: State): AdapterEvent[] {
  const toolCallId = asText(message.toolCallId);
  if (message.role === "toolResult" && toolCallId !== undefined) {
    return [toolEnded(toolCallId, asText(message.toolName), message.content, message.isError === true)];
  }
  const parsed = assistantMessage.safeParse(message);
  if (!parsed.success) return [];
  state.last = parsed.data;
  return [...countUsage(parsed.data, state), ...errorOf(parsed.data)];
}

function countUsage({ usage, responseId, timestamp }: AssistantMessage, state: State): AdapterEvent[] {
  const key = `${responseId ?? ""}@${String(timestamp)}`;
  if (!usage || state.counted === key) return [];
  state.counted = key;
  return [
    state.usage.add({
      inputTokens: usage.input,
      outputTokens: usage.output,
      cachedInputTokens: usage.cacheRead,
      cacheWriteTokens: usage.cacheWrite,
      thinkingTokens: usage.reasoning ?? usage.reasoningTokens,
      costUsd: usage.cost?.total,
    }),
  ];
}

function errorOf({ stopReason, errorMessage, errorStatus }: AssistantMessage): AdapterEvent[] {
  if (stopReason !== "error") return [];
  const message = errorMessage ?? "The model's provider failed.";
  return [{ type: "error-seen", message, status: errorStatus ?? httpStatus(message) }];
}

function toolEnded(id: string, tool: string | undefined, content: unknown, isError: boolean): AdapterEvent {
  const output = contentText(content);
  const denied = isError && /requires approval but|denied by (the )?user|blocked by/i.test(output);
  return { type: "tool-ended", id, tool, output, isError, ...(denied && { denied }) };
}

function ending({ last }: State): RunEnded {
  const message = last?.errorMessage;
  switch (last?.stopReason) {
    case "error":
      return {
        type: "run-ended",
        outcome: "failed",
        message: message ?? "The model's provider failed.",
        status: last.errorStatus ?? httpStatus(message ?? ""),
      };
    case "aborted":
      if (message !== undefined && /^deadline exceeded/i.test(message)) {
        return { type: "run-ended", outcome: "limit", limit: "time", message };
      }
      return { type: "run-ended", outcome: "aborted", message: message ?? "Interrupted." };
    case "length":
      return {
        type: "run-ended",
        outcome: "limit",
        limit: "tokens",
        message: "The model reached its token limit.",
      };
    default:
      return { type: "run-ended", outcome: "done" };
  }
}

const httpStatus = (message: string): number | undefined => {
  const status = /API error \((\d{3})\)|^([45]\d\d) /.exec(message);
  const digits = status?.[1] ?? status?.[2];
  return digits === undefined ? undefined : Number(digits);
};

function readResponse(
  command: string | undefined,
  success: boolean | undefined,
  error = "It was refused.",
  data: JsonObject | undefined,
): AdapterEvent[] {
  if (success === false) {
    return command === "prompt"
      ? [{ type: "run-ended", outcome: "failed", message: error }]
      : [{ type: "warning", message: `${command}: ${error}` }];
  }
  const sessionId = asText(data?.sessionId);
  if (sessionId === undefined) return [];
  return command === "get_state"
    ? [{ type: "run-started", sessionId, model: asText(asObject(data?.model)?.id) }]
    : [{ type: "session-known", sessionId }];
}

/** A yes-or-no dialog is an approval; anything else is cancelled, so that nothing hangs. */
function readDialog(
  {
    id,
    method,
    title,
    message,
  }: { id: string; method: string; title?: string | undefined; message?: string | undefined },
  state: State,
): AdapterEvent[] {
  if (method === "notify") return message === undefined ? [] : [{ type: "warning", message }];
  if (method === "confirm") {
    state.dialogs.set(id, method);
    return [{ type: "approval-requested", id, tool: "extension", input: { title, message }, reason: title }];
  }
  if (method === "select" || method === "input" || method === "editor") {
    state.sends.push(JSON.stringify({ type: "extension_ui_response", id, cancelled: true }));
  }
  return [];
}

function answer(command: RunCommand, state: State): AdapterStep | undefined {
  switch (command.type) {
    case "send":
      return {
        events: [],
        send: [JSON.stringify({ type: "prompt", message: command.text, streamingBehavior: "followUp" })],
      };
    case "interrupt":
      return { events: [], send: [JSON.stringify({ type: "abort" })] };
    case "approve":
    case "deny": {
      if (!state.dialogs.delete(command.id)) return undefined;
      const confirmed = command.type === "approve";
      return {
        events: [],
        send: [JSON.stringify({ type: "extension_ui_response", id: command.id, confirmed })],
      };
    }
  }
}
