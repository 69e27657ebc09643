/**
 * Reads Claude Code's stream-json, one way or with the control protocol; recorded from 2.1.325.
 *
 * `type` is not the first key of a `result`, an API error arrives as subtype `success` with `is_error`, and with partial
 * messages every text comes twice. All lines have a uuid, so repeated lines are dropped here.
 */
import type { AdapterEvent, AdapterStep, LineReader, RunCommand, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asObject,
  asText,
  contentText,
  type JsonObject,
  listOf,
  maybe,
  maybeFlag,
  maybeNumber,
  maybeText,
  parseObject,
  type ReadRecord,
  rowsFor,
  text,
} from "../lines/json-line.ts";
import { ClaudeSessionCost } from "./claude-session-cost.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import { isCommand } from "./run-parts.ts";
import { SeenIds } from "./seen-ids.ts";
import { StreamedText } from "./streamed-text.ts";
import { type UsageStep, UsageTotal } from "./usage-total.ts";

interface State {
  readonly cost: ClaudeSessionCost;
  readonly seen: SeenIds;
  readonly streamed: StreamedText;
  readonly usage: UsageTotal;
  readonly toolNames: Map<string, string>;
  readonly denied: Set<string>;
  /** Permission questions that wait for an answer. */
  readonly questions: Map<string, { readonly input: unknown; readonly toolId: string | undefined }>;
  nextRequest: number;
  sends: string[];
  /** Tokens of model calls not yet included in a result, by message. */
  readonly calls: Map<string, UsageStep>;
  callId: string;
  /** Whether the model's text was emitted; the plain `json` format has it only in the result. */
  spoke: boolean;
}

/** Without a session's cost, the program's report is used as it is. */
export function claudeReader(cost = new ClaudeSessionCost()): LineReader {
  const state: State = {
    cost,
    seen: new SeenIds(),
    streamed: new StreamedText(),
    usage: new UsageTotal(),
    calls: new Map(),
    callId: "",
    toolNames: new Map(),
    denied: new Set(),
    questions: new Map(),
    nextRequest: 1,
    sends: [],
    spoke: false,
  };
  return {
    onLine(line) {
      const record = parseObject(line);
      if (!record || !state.seen.isNew(asText(record.uuid))) return { events: [] };
      state.sends = [];
      const events = ROWS[kindOf(record)]?.(record, state) ?? [];
      state.spoke ||= events.some(({ type }) => type === "text-delta");
      return { events, send: state.sends };
    },
    onSent(line) {
      const record = parseObject(line);
      if (record?.type === "control_response") noteAnswer(asObject(record.response) ?? {}, state);
      return { events: record?.type === "user" ? [{ type: "turn-opened" }] : [] };
    },
    command: (command) => answer(command, state),
  };
}

/**
 * A prompt as it is: of the last block only, the program reads `@word` as a file, without asking, and `/word` as a command
 * of its own, so such a prompt is never the last block.
 */
export const promptBlocks = (prompt: string): JsonObject[] => [
  { type: "text", text: prompt },
  ...(isCommand(prompt) || /@\S/.test(prompt) ? [{ type: "text", text: AS_TEXT }] : []),
];
const AS_TEXT = "(The text above is a message: no command, no file to read.)";

/** The message that starts or continues a conversation. */
export function userMessage(content: readonly JsonObject[]): string {
  return JSON.stringify({
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    session_id: "",
  });
}

const kindOf = (record: JsonObject): string =>
  record.type === "system" ? `system/${asText(record.subtype) ?? ""}` : (asText(record.type) ?? "");

const row = rowsFor<State>();

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  "system/init": row(
    { session_id: text, model: maybeText, cwd: maybeText, claude_code_version: maybeText },
    ({ session_id, model, cwd, claude_code_version: version }) => [
      { type: "run-started", sessionId: session_id, model, cwd, version },
    ],
  ),
  "system/api_retry": row(
    {
      attempt: maybeNumber,
      max_retries: maybeNumber,
      retry_delay_ms: maybeNumber,
      error_status: maybeNumber,
      error: maybeText,
    },
    ({ attempt, max_retries, retry_delay_ms, error_status, error }) => [
      {
        type: "retry",
        message: error ?? "The model's provider failed.",
        attempt,
        maxAttempts: max_retries,
        delayMs: retry_delay_ms,
        status: error_status,
      },
    ],
  ),
  "system/permission_denied": row({ tool_use_id: text }, ({ tool_use_id }, state) => {
    state.denied.add(tool_use_id);
    return [];
  }),
  "system/model_fallback": warningRow("The model was replaced by another one."),
  "system/model_refusal_fallback": warningRow("The model refused; another one continues."),
  "system/instruction_size_warning": warningRow("The instructions are very long."),
  "system/session_writes_lost": warningRow("The session could not be stored."),
  "system/compact_boundary": row({}, () => [
    { type: "warning", code: "compacted", message: "The conversation was compacted." },
  ]),
  stream_event: row({ event: z.looseObject({ type: text }), parent_tool_use_id: maybeText }, (data, state) =>
    data.parent_tool_use_id === undefined ? readStreamEvent(data.event, state) : [],
  ),
  assistant: row(
    {
      message: z.object({ content: listOf(z.looseObject({ type: text })) }),
      parent_tool_use_id: maybeText,
      error: maybeText,
      api_error_status: maybeNumber,
    },
    ({ message, parent_tool_use_id: parentId, error, api_error_status: status }, state) =>
      error === undefined
        ? message.content.flatMap((block) => readBlock(block, parentId, state))
        : [{ type: "error-seen", message: contentText(message.content) || error, status }],
  ),
  user: row(
    {
      message: z.object({ content: listOf(z.looseObject({ type: text })) }),
      tool_result_meta: listOf(z.object({ id: text, non_execution_kind: maybeText })),
    },
    ({ message, tool_result_meta: meta }, state) => {
      for (const { id, non_execution_kind: why } of meta) if (why?.includes("reject")) state.denied.add(id);
      return message.content.flatMap((block) => readToolResult(block, state));
    },
  ),
  control_request: row(
    { request_id: text, request: z.looseObject({ subtype: text }) },
    ({ request_id, request }, state) => readRequest(request_id, request, state),
  ),
  result: row(
    {
      subtype: maybeText,
      is_error: maybeFlag,
      result: maybeText,
      errors: listOf(text),
      terminal_reason: maybeText,
      api_error_status: maybeNumber,
      session_id: maybeText,
      total_cost_usd: maybeNumber,
      structured_output: anything,
      usage: maybe(
        z.object({
          input_tokens: maybeNumber,
          output_tokens: maybeNumber,
          cache_read_input_tokens: maybeNumber,
          cache_creation_input_tokens: maybeNumber,
          output_tokens_details: maybe(z.object({ thinking_tokens: maybeNumber })),
        }),
      ),
    },
    (data, state) => [
      ...(state.spoke || data.is_error === true ? [] : textDelta(data.result ?? "")),
      ...forget(state),
      {
        ...state.usage.add({
          inputTokens: data.usage?.input_tokens,
          outputTokens: data.usage?.output_tokens,
          cachedInputTokens: data.usage?.cache_read_input_tokens,
          cacheWriteTokens: data.usage?.cache_creation_input_tokens,
          thinkingTokens: data.usage?.output_tokens_details?.thinking_tokens,
        }),
        ...costOf(state.cost.ofRun(data.total_cost_usd)), // the session's total: must not be added up
      },
      ...(data.structured_output === undefined
        ? []
        : [{ type: "structured-answer" as const, value: data.structured_output }]),
      ending(data),
    ],
  ),
};

function warningRow(fallback: string): ReadRecord<State> {
  return row({ message: maybeText, content: maybeText }, ({ message, content }) => [
    { type: "warning", message: message ?? content ?? fallback },
  ]);
}

function readStreamEvent(event: JsonObject, state: State): AdapterEvent[] {
  const delta = asObject(event.delta);
  switch (event.type) {
    case "message_start": {
      const message = asObject(event.message);
      state.callId = asText(message?.id) ?? "";
      return [{ type: "model-turn" }, ...countCall(asObject(message?.usage), state)];
    }
    case "message_delta":
      return countCall(asObject(event.usage), state);
    case "content_block_start": {
      state.streamed.clear();
      const block = asObject(event.content_block);
      const id = asText(block?.id);
      const name = asText(block?.name);
      if (id !== undefined && name !== undefined) state.toolNames.set(id, name);
      return [];
    }
    case "content_block_delta":
      if (delta?.type === "text_delta") {
        return textDelta(state.streamed.piece("text", asText(delta.text) ?? ""));
      }
      if (delta?.type === "thinking_delta") {
        return thinkingDelta(state.streamed.piece("thinking", asText(delta.thinking) ?? ""));
      }
      return [];
    default:
      return [];
  }
}

/** Tokens so far, before the result has the total: limits must apply during the run. */
function countCall(used: JsonObject | undefined, state: State): AdapterEvent[] {
  if (!used) return [];
  const before = state.calls.get(state.callId) ?? {};
  const count = (key: string, kept: number | undefined) => (typeof used[key] === "number" ? used[key] : kept);
  state.calls.set(state.callId, {
    inputTokens: count("input_tokens", before.inputTokens),
    outputTokens: count("output_tokens", before.outputTokens),
    cachedInputTokens: count("cache_read_input_tokens", before.cachedInputTokens),
    cacheWriteTokens: count("cache_creation_input_tokens", before.cacheWriteTokens),
  });
  return [state.usage.plus(state.calls.values())];
}

/** A result includes all calls before it. */
function forget({ calls }: State): AdapterEvent[] {
  calls.clear();
  return [];
}

const costOf = (costUsd: number | undefined) => (costUsd === undefined ? {} : { costUsd });

function readBlock(block: JsonObject, parentId: string | undefined, state: State): AdapterEvent[] {
  if (block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use") {
    const id = asText(block.id);
    if (id === undefined) return [];
    const tool = asText(block.name) ?? "unknown";
    state.toolNames.set(id, tool);
    return [{ type: "tool-started", id, tool, input: block.input ?? {}, parentId }];
  }
  if (parentId !== undefined) return []; // a sub-agent's output; its answer is the tool's result
  const kind = block.type === "thinking" ? "thinking" : "text";
  const rest = state.streamed.whole(kind, asText(block[kind]) ?? "");
  state.streamed.clear();
  return kind === "thinking" ? thinkingDelta(rest) : textDelta(rest);
}

function readToolResult(block: JsonObject, state: State): AdapterEvent[] {
  const id = asText(block.tool_use_id);
  if (id === undefined || !String(block.type).endsWith("tool_result")) return [];
  const denied = state.denied.has(id);
  return [
    {
      type: "tool-ended",
      id,
      tool: state.toolNames.get(id),
      output: contentText(block.content),
      isError: block.is_error === true,
      ...(denied && { denied }),
    },
  ];
}

function readRequest(requestId: string, request: JsonObject, state: State): AdapterEvent[] {
  if (request.subtype !== "can_use_tool") {
    // An unanswered request would hang the run; a client without hooks or dialogs says so.
    const error = `This client does not support "${String(request.subtype)}".`;
    state.sends.push(
      JSON.stringify({
        type: "control_response",
        response: { subtype: "error", request_id: requestId, error },
      }),
    );
    return [];
  }
  const input = request.input ?? {};
  const toolId = asText(request.tool_use_id);
  state.questions.set(requestId, { input, toolId });
  return [
    {
      type: "approval-requested",
      id: requestId,
      toolId,
      tool: asText(request.tool_name) ?? "unknown",
      input,
      reason: asText(request.decision_reason) ?? asText(request.description),
    },
  ];
}

const LIMITS: Readonly<Record<string, RunEnded["limit"]>> = {
  __proto__: null as never, // a line may name "constructor"
  error_max_turns: "turns",
  max_turns: "turns",
  error_max_budget_usd: "cost",
  budget_exhausted: "cost",
};

interface Result {
  readonly subtype?: string | undefined;
  readonly is_error?: boolean | undefined;
  readonly result?: string | undefined;
  readonly errors: readonly string[];
  readonly terminal_reason?: string | undefined;
  readonly api_error_status?: number | undefined;
  readonly session_id?: string | undefined;
}

function ending(data: Result): RunEnded {
  const { subtype = "", terminal_reason: reason = "" } = data;
  const message = data.errors.join("\n") || data.result || reason || subtype;
  const base = { type: "run-ended" as const, sessionId: data.session_id };
  const limit = LIMITS[subtype] ?? LIMITS[reason];
  if (limit !== undefined) return { ...base, outcome: "limit", limit, message };
  if (reason.startsWith("aborted")) return { ...base, outcome: "aborted", message: "Interrupted." };
  if (data.is_error === true || subtype.startsWith("error")) {
    return { ...base, outcome: "failed", message, status: data.api_error_status };
  }
  return { ...base, outcome: "done" };
}

/** Our answer was sent: the question is settled, and a refused call is recorded as denied. */
function noteAnswer(reply: JsonObject, state: State): void {
  const id = asText(reply.request_id) ?? "";
  const toolId = state.questions.get(id)?.toolId;
  state.questions.delete(id);
  if (toolId !== undefined && asObject(reply.response)?.behavior === "deny") state.denied.add(toolId);
}

function answer(command: RunCommand, state: State): AdapterStep | undefined {
  switch (command.type) {
    case "send":
      return { events: [], send: [userMessage(promptBlocks(command.text))] };
    case "interrupt": {
      const request = { request_id: `interrupt-${state.nextRequest++}`, request: { subtype: "interrupt" } };
      return { events: [], send: [JSON.stringify({ type: "control_request", ...request })] };
    }
    case "approve":
    case "deny": {
      const asked = state.questions.get(command.id);
      if (!asked) return undefined;
      const response =
        command.type === "approve"
          ? { behavior: "allow", updatedInput: command.input ?? asked.input }
          : { behavior: "deny", message: command.reason ?? "The user denied this call." };
      const reply = { subtype: "success", request_id: command.id, response };
      noteAnswer(reply, state);
      return { events: [], send: [JSON.stringify({ type: "control_response", response: reply })] };
    }
  }
}
