import { expect, test } from "vitest";
import { acpReader } from "./acp-reader.ts";

const rpc = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
const update = (of: object) => rpc({ method: "session/update", params: { sessionId: "s", update: of } });
const TEXT = update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi." } });
const CALL = update({ sessionUpdate: "tool_call", toolCallId: "t", title: "ls", status: "completed" });
/** As Gemini ends a turn whose answer it refused. */
const END = rpc({
  id: 1,
  result: {
    stopReason: "end_turn",
    _meta: { quota: { token_count: { input_tokens: 9, output_tokens: 1 } } },
  },
});

test.each([
  ["without a word has failed", [], true, "failed"],
  ["with text is done", [TEXT], true, "done"],
  ["with text after its call is done", [CALL, TEXT], true, "done"],
  ["without a word after its last call has failed", [TEXT, CALL], true, "failed"],
  ["without a word is done, of an agent that may be silent", [], false, "done"],
])("a turn %s", (_, lines, endsWithText, outcome) => {
  const reader = acpReader({ endsWithText });
  reader.onSent?.(rpc({ id: 1, method: "session/prompt", params: { sessionId: "s" } }));
  const events = [...lines, END].flatMap((line) => reader.onLine(line).events);
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome });
});
