/**
 * Reads `copilot --output-format json`, recorded from 1.0.102: `{type, data, id}` envelopes and a bare `result` at the end.
 *
 * The session's id appears only in that last line, and token counts do not. A 401 is called transient and retried first.
 */
import type { AdapterEvent, LineReader, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asObject,
  asText,
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
import { missingOf } from "./copilot-answer.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import { SeenIds } from "./seen-ids.ts";
import { StreamedText } from "./streamed-text.ts";
import { UsageTotal } from "./usage-total.ts";

interface State {
  readonly sessionId: string | undefined;
  readonly seen: SeenIds;
  readonly streamed: StreamedText;
  readonly usage: UsageTotal;
  readonly toolNames: Map<string, string>;
  error: { message: string; status?: number | undefined } | undefined;
  limit: Pick<RunEnded, "limit" | "message"> | undefined;
  aborted: boolean;
  status: number | undefined;
}

/** `sessionId`: chosen by us; the CLI itself prints it only at the end. */
export function copilotReader(sessionId?: string): LineReader {
  const state: State = {
    sessionId,
    seen: new SeenIds(),
    streamed: new StreamedText(),
    usage: new UsageTotal(),
    toolNames: new Map(),
    error: undefined,
    limit: undefined,
    aborted: false,
    status: undefined,
  };
  return {
    onLine(line) {
      const record = parseObject(line);
      if (!record || !state.seen.isNew(asText(record.id))) return { events: [] };
      const kind = asText(record.type) ?? "";
      return { events: ROWS[kind]?.(kind === "result" ? record : dataOf(record), state) ?? [] };
    },
  };
}

const dataOf = (record: JsonObject): JsonObject => asObject(record.data) ?? {};

const row = rowsFor<State>();
const begun = row({ model: maybeText }, ({ model }, { sessionId }) => [
  { type: "run-started", sessionId, model },
]);

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  "session.start": row(
    { sessionId: maybeText, selectedModel: maybeText },
    ({ sessionId, selectedModel: model }) => [{ type: "run-started", sessionId, model }],
  ),
  "session.tools_updated": begun,
  "user.message": begun,
  "assistant.turn_start": row({}, (_, state) => {
    state.streamed.clear();
    return [{ type: "run-started", sessionId: state.sessionId }, { type: "model-turn" }];
  }),
  "assistant.message_delta": row({ messageId: text, deltaContent: text }, (data, { streamed }) =>
    textDelta(streamed.piece(data.messageId, data.deltaContent)),
  ),
  "assistant.message": row(
    { messageId: text, content: text, parentToolCallId: maybeText },
    ({ messageId, content, parentToolCallId }, { streamed }) => {
      if (parentToolCallId !== undefined) return [];
      if (streamed.hasGaps(messageId, content)) return missingOf(content, streamed.passed(messageId));
      return textDelta(streamed.whole(messageId, content));
    },
  ),
  "assistant.reasoning_delta": row({ reasoningId: text, deltaContent: text }, (data, { streamed }) =>
    thinkingDelta(streamed.piece(data.reasoningId, data.deltaContent)),
  ),
  "assistant.reasoning": row({ reasoningId: text, content: text }, (data, { streamed }) =>
    thinkingDelta(streamed.whole(data.reasoningId, data.content)),
  ),
  "assistant.tool_call_delta": row({ toolCallId: text, toolName: text }, (data, { toolNames }) => {
    toolNames.set(data.toolCallId, data.toolName);
    return [];
  }),
  "assistant.usage": row(
    {
      inputTokens: maybeNumber,
      outputTokens: maybeNumber,
      cacheReadTokens: maybeNumber,
      cacheWriteTokens: maybeNumber,
      reasoningTokens: maybeNumber,
    },
    (data, state) => [
      state.usage.add({
        inputTokens: data.inputTokens,
        outputTokens: data.outputTokens,
        cachedInputTokens: data.cacheReadTokens,
        cacheWriteTokens: data.cacheWriteTokens,
        thinkingTokens: data.reasoningTokens,
      }),
    ],
  ),
  "tool.execution_start": row(
    { toolCallId: text, toolName: text, arguments: anything, parentToolCallId: maybeText },
    (data, { toolNames }) => {
      toolNames.set(data.toolCallId, data.toolName);
      const { toolCallId: id, toolName: tool, parentToolCallId: parentId } = data;
      return [{ type: "tool-started", id, tool, input: data.arguments ?? {}, parentId }];
    },
  ),
  "tool.execution_complete": row(
    {
      toolCallId: text,
      success: maybeFlag,
      result: maybe(z.object({ content: maybeText })),
      error: maybe(z.object({ message: maybeText, code: maybeText })),
      shellExecution: maybe(z.object({ exitCode: maybeNumber })),
    },
    ({ toolCallId: id, success, result, error, shellExecution }, state) => [
      {
        type: "tool-ended",
        id,
        tool: state.toolNames.get(id),
        output: result?.content ?? error?.message ?? "",
        isError: success === false || (shellExecution?.exitCode ?? 0) !== 0,
        ...(error?.code === "denied" && { denied: true }),
      },
    ],
  ),
  "model.call_failure": row({ statusCode: maybeNumber }, ({ statusCode }, state) => {
    state.status = statusCode;
    return [];
  }),
  "assistant.turn_retry": row({ reason: maybeText }, ({ reason }, state) => [
    { type: "retry", message: reason ?? "The model's provider failed.", status: state.status },
  ]),
  "session.warning": row({ message: text }, ({ message }) => [{ type: "warning", message }]),
  "session.error": row(
    { message: text, errorType: maybeText, statusCode: maybeNumber },
    ({ message, statusCode: status }, state) => {
      state.error = { message, status };
      return [{ type: "error-seen", message, status }];
    },
  ),
  "session_limits_exhausted.requested": row({}, (_, state) => {
    const message = "The session reached its credit limit.";
    state.limit = { limit: "cost", message };
    return [{ type: "warning", code: "limit", message }];
  }),
  "session.autopilot_stopped": row({ reason: maybeText }, ({ reason }, state) => {
    if (/limit|max|cap_/i.test(reason ?? "")) {
      state.limit = { limit: "turns", message: `Autopilot stopped: ${reason}.` };
    }
    return [];
  }),
  "permission.requested": row(
    { requestId: text, permissionRequest: maybe(z.looseObject({ toolCallId: maybeText, kind: maybeText })) },
    ({ requestId: id, permissionRequest: asked }) => [
      {
        type: "approval-requested",
        id,
        toolId: asked?.toolCallId,
        tool: asked?.kind ?? "tool",
        input: asked ?? {},
      },
    ],
  ),
  abort: row({}, (_, state) => {
    state.aborted = true;
    return [];
  }),
  "assistant.idle": row({ aborted: maybeFlag }, ({ aborted }, state) => {
    state.aborted ||= aborted === true;
    return [];
  }),
  result: row({ sessionId: maybeText, exitCode: maybeNumber }, ({ sessionId, exitCode }, state) => [
    ending(sessionId, exitCode, state),
  ]),
};

function ending(sessionId: string | undefined, exitCode = 0, state: State): RunEnded & AdapterEvent {
  const base = { type: "run-ended" as const, sessionId };
  if (state.limit !== undefined) return { ...base, outcome: "limit", ...state.limit };
  if (state.aborted) return { ...base, outcome: "aborted", message: "Interrupted." };
  if (state.error) return { ...base, outcome: "failed", ...state.error };
  if (exitCode !== 0) return { ...base, outcome: "failed", message: `Copilot ended with code ${exitCode}.` };
  return { ...base, outcome: "done" };
}
