import { expect, test } from "vitest";
import type { ConversationMessage } from "../messages.ts";
import { trajectoryOf } from "./atif.ts";

const at = new Date(0);
const ids = { sessionId: "s", trajectoryId: "t" };

test("a call has the arguments it ran with, and the model's where a person changed them", () => {
  const messages: ConversationMessage[] = [
    { id: "u", role: "user", content: [{ type: "text", text: "Refund 17" }] },
    {
      id: "a",
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "c1", toolName: "refund", input: { amount: 100 } },
        { type: "tool-call", toolCallId: "c2", toolName: "note", input: { text: "x" } },
      ],
    },
    {
      id: "r",
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "refund",
          output: { type: "text", value: "40 refunded" },
          editedInput: { amount: 40 },
        },
      ],
    },
  ];
  const { steps } = trajectoryOf(
    ids,
    { name: "Clerk", version: "1" },
    messages.map((message) => ({ message, at, runId: "r" })),
  );
  expect(steps[1]?.tool_calls).toEqual([
    {
      tool_call_id: "c1",
      function_name: "refund",
      arguments: { amount: 40 },
      extra: { proposed_arguments: { amount: 100 } },
    },
    { tool_call_id: "c2", function_name: "note", arguments: { text: "x" } },
  ]);
  expect(steps[1]?.observation?.results).toEqual([{ source_call_id: "c1", content: "40 refunded" }]);
});
