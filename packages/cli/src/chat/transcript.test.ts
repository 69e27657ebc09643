import { expect, test } from "vitest";
import { transcript } from "./transcript.ts";

test("a stored conversation is shown like a live one", () => {
  const call = { tool_call_id: "1", tool_name: "add" };
  expect(
    transcript([
      { role: "user", content: [{ type: "text", text: "add 2 and 40" }] },
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { a: 2, b: 40 } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { result: 42 }, is_error: false }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "so" },
          { type: "text", text: "It is 42." },
        ],
      },
    ]),
  ).toBe('\n› add 2 and 40\n> add {"a":2,"b":40}\n  {"result":42}\nIt is 42.\n');
});

test("edited arguments are shown next to the model's", () => {
  const result = {
    tool_call_id: "1",
    tool_name: "add",
    output: 11,
    is_error: false,
    edited_input: { a: 5, b: 6 },
  };
  expect(transcript([{ role: "tool", content: [{ type: "tool-result", ...result }] }])).toBe(
    '  edited before approval: {"a":5,"b":6}\n  11\n',
  );
});
