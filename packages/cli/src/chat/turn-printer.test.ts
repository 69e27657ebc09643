import type { RunEvent } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { turnPrinter } from "./turn-printer.ts";

const call = (id: string, name: string, args: string): RunEvent[] => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name },
  ...[...args].map((delta): RunEvent => ({ type: "TOOL_CALL_ARGS", toolCallId: id, delta })),
  { type: "TOOL_CALL_END", toolCallId: id },
];
const text = (...deltas: string[]): RunEvent[] => [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  ...deltas.map((delta): RunEvent => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta })),
  { type: "TEXT_MESSAGE_END", messageId: "m" },
];

describe("a turn in the terminal", () => {
  test.each<[string, RunEvent[], string]>([
    ["text as it comes, ended by a line", text("It is ", "noon."), "It is noon.\n"],
    [
      "a tool call and its result on lines of their own",
      [
        ...call("1", "add", '{"a":2}'),
        { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "1", content: '{"result":42}' },
      ],
      '> add {"a":2}\n  {"result":42}\n',
    ],
    ["two calls whose arguments arrive mixed", interleaved(), "> add {}\n> sub {}\n"],
    ["an error", [{ type: "RUN_ERROR", message: "no key" }], "Error: no key\n"],
    [
      "a stop",
      [{ type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled" } }],
      "(stopped)\n",
    ],
    ["nothing for what people need not see", [{ type: "STEP_STARTED", stepName: "model" }], ""],
  ])("prints %s", (_what, events, printed) => {
    const { print } = turnPrinter(false);
    expect(events.map(print).join("")).toBe(printed);
  });

  test("a call in the middle of a text begins a new line", () => {
    const { print } = turnPrinter(false);
    const events: RunEvent[] = [...text("Let me see").slice(0, 2), ...call("1", "add", "{}")];
    expect(events.map(print).join("")).toBe("Let me see\n> add {}\n");
  });
});

function interleaved(): RunEvent[] {
  const [first, second] = [call("1", "add", "{}"), call("2", "sub", "{}")];
  return first.flatMap((event, index) => [event, second[index] as RunEvent]);
}
