/**
 * Reads Cursor's `--output-format stream-json`, from its documentation: the binary cannot be pointed at a test model.
 *
 * With partial output every text comes in pieces (which carry `timestamp_ms`) and once more whole.
 */
import type { AdapterEvent, LineReader } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asObject,
  asText,
  contentText,
  type JsonObject,
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

type State = StreamedText;
const row = rowsFor<State>();

export function cursorReader(): LineReader {
  const streamed = new StreamedText();
  return {
    onLine(line) {
      const record = parseObject(line);
      if (!record) return { events: [] };
      const kind =
        record.type === "system" ? `system/${asText(record.subtype)}` : (asText(record.type) ?? "");
      return { events: ROWS[kind]?.(record, streamed) ?? [] };
    },
  };
}

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  "system/init": row(
    { session_id: maybeText, model: maybeText, cwd: maybeText },
    ({ session_id: sessionId, model, cwd }) => [{ type: "run-started", sessionId, model, cwd }],
  ),
  assistant: row(
    { message: z.object({ content: anything }), timestamp_ms: maybeNumber },
    (data, streamed) => {
      const said = contentText(data.message.content);
      if (data.timestamp_ms !== undefined) return textDelta(streamed.piece("text", said));
      const rest = streamed.whole("text", said);
      streamed.clear();
      return textDelta(rest);
    },
  ),
  thinking: row({ text: maybeText, subtype: maybeText }, ({ text: thought, subtype }) =>
    subtype === "completed" ? [] : thinkingDelta(thought ?? ""),
  ),
  tool_call: row(
    { subtype: text, call_id: text, tool_call: z.record(z.string(), z.unknown()) },
    ({ subtype, call_id, tool_call }) => readCall(subtype, call_id, tool_call),
  ),
  result: row(
    { subtype: maybeText, is_error: maybeFlag, result: maybeText, session_id: maybeText },
    ({ subtype, is_error, result, session_id: sessionId }) => [
      is_error === true || (subtype !== undefined && subtype !== "success")
        ? { type: "run-ended", outcome: "failed", sessionId, message: result ?? subtype ?? "Cursor failed." }
        : { type: "run-ended", outcome: "done", sessionId },
    ],
  ),
};

/** The call is an object of one key, such as `readToolCall`, with `args` and, once it is over, `result`. */
function readCall(subtype: string, id: string, call: JsonObject): AdapterEvent[] {
  const [key = "unknown"] = Object.keys(call);
  const body = asObject(call[key]);
  const tool = asText(body?.name) ?? key.replace(/ToolCall$/, "");
  if (subtype === "started") return [{ type: "tool-started", id, tool, input: body?.args ?? {} }];
  if (subtype !== "completed") return [];
  const result = asObject(body?.result);
  const failure = result?.error ?? result?.failure ?? result?.rejected;
  const shown = failure ?? result?.success ?? result ?? body?.result ?? "";
  return [
    {
      type: "tool-ended",
      id,
      tool,
      output: typeof shown === "string" ? shown : (asText(asObject(shown)?.content) ?? JSON.stringify(shown)),
      isError: failure !== undefined,
      ...(result?.rejected !== undefined && { denied: true }),
    },
  ];
}
