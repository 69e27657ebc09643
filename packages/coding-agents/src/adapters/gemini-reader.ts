/**
 * Reads Gemini CLI's `-o stream-json`, recorded from 0.61.0. It contains no thoughts; ACP does.
 *
 * A reached turn limit is an `error` line that a successful `result` may follow, so the limit is remembered.
 */
import type { AdapterEvent, LineReader, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asText,
  maybe,
  maybeNumber,
  maybeText,
  parseObject,
  type ReadRecord,
  rowsFor,
  text,
} from "../lines/json-line.ts";
import { textDelta } from "./deltas.ts";
import { uncached, usage } from "./usage-total.ts";

interface State {
  readonly toolNames: Map<string, string>;
  /** The first error line: a result may say `error` without details, or succeed after a reached limit. */
  error: string | undefined;
}

export function geminiReader(): LineReader {
  const state: State = { toolNames: new Map(), error: undefined };
  return {
    onLine(line) {
      const record = parseObject(line);
      const kind = asText(record?.type) ?? (record && "session_id" in record ? "document" : "");
      return { events: record ? (ROWS[kind]?.(record, state) ?? []) : [] };
    },
  };
}

const row = rowsFor<State>();
const failure = maybe(z.object({ type: maybeText, message: maybeText }));
const TURN_LIMIT = /max(imum)? session turns/i;

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  init: row({ session_id: text, model: maybeText }, ({ session_id: sessionId, model }) => [
    { type: "run-started", sessionId, model },
  ]),
  message: row({ role: text, content: text }, ({ role, content }) =>
    role === "assistant" ? textDelta(content) : [],
  ),
  tool_use: row({ tool_name: text, tool_id: text, parameters: anything }, (data, state) => {
    state.toolNames.set(data.tool_id, data.tool_name);
    const input = data.parameters ?? {};
    return [{ type: "tool-started", id: data.tool_id, tool: data.tool_name, input }];
  }),
  tool_result: row(
    {
      tool_id: text,
      status: maybeText,
      output: maybeText,
      error: failure,
    },
    ({ tool_id: id, status, output, error }, state) => [
      {
        type: "tool-ended",
        id,
        tool: state.toolNames.get(id),
        output: output ?? error?.message ?? "",
        isError: status === "error",
        ...(error?.type === "policy_violation" && { denied: true }),
      },
    ],
  ),
  error: row({ message: text, severity: maybeText }, ({ message, severity }, state) => {
    if (severity === "error") state.error ??= message;
    const seen: AdapterEvent[] = severity === "error" ? [{ type: "error-seen", message }] : [];
    return [...seen, { type: "warning", message }];
  }),
  /** `-o json`: one object without a type. */
  document: row({ session_id: text, response: maybeText, error: failure }, (data, state) => [
    { type: "run-started", sessionId: data.session_id },
    ...textDelta(data.response ?? ""),
    ending(data.error ? "error" : "success", data.error?.type, data.error?.message, state),
  ]),
  result: row(
    {
      status: maybeText,
      error: failure,
      stats: maybe(
        z.object({
          input_tokens: maybeNumber,
          output_tokens: maybeNumber,
          cached: maybeNumber,
          total_tokens: maybeNumber,
        }),
      ),
    },
    ({ status, error, stats }, state) => [
      ...(stats ? [usageOf(stats)] : []),
      ending(status, error?.type, error?.message, state),
    ],
  ),
};

interface Stats {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cached?: number | undefined;
  readonly total_tokens?: number | undefined;
}

function usageOf({ input_tokens = 0, output_tokens = 0, cached = 0, total_tokens = 0 }: Stats): AdapterEvent {
  return usage({
    inputTokens: uncached(input_tokens, cached),
    // The CLI excludes thoughts from its output count but includes them in its total.
    outputTokens: Math.max(output_tokens, total_tokens - input_tokens),
    cachedInputTokens: cached,
    thinkingTokens: Math.max(0, total_tokens - input_tokens - output_tokens),
  });
}

/** Around an error of the provider that is no document. */
const BRACKETS = /^\[(API Error: .*)\]$/s;

function ending(
  status: string | undefined,
  kind: string | undefined,
  told: string | undefined,
  { error }: State,
): RunEnded {
  const message = (told ?? error ?? "Gemini CLI reported an error.").replace(BRACKETS, "$1");
  if (kind === "FatalTurnLimitedError" || TURN_LIMIT.test(message)) {
    return { type: "run-ended", outcome: "limit", limit: "turns", message };
  }
  if (status === "success") return { type: "run-ended", outcome: "done" };
  if (kind === "FatalCancellationError" || message.startsWith("Operation cancelled")) {
    return { type: "run-ended", outcome: "aborted", message };
  }
  return { type: "run-ended", outcome: "failed", message, status: httpStatus(message) };
}

/** The status is only in the provider's JSON inside the message. */
function httpStatus(message: string): number | undefined {
  const code = /"code":\s*(\d{3})\b/.exec(message)?.[1];
  return code === undefined ? undefined : Number(code);
}
