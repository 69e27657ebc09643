import type { CodingAgentEvent } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { foldRun } from "./fold-run.ts";

test("a coding agent's run reads as joined text, tools with their end, and the outcome", () => {
  const events: CodingAgentEvent[] = [
    { type: "run-started" },
    { type: "thinking-delta", text: "hm" },
    { type: "text-delta", text: "I " },
    { type: "text-delta", text: "look." },
    { type: "tool-started", id: "1", tool: "read", input: {}, ungated: true },
    { type: "tool-started", id: "2", tool: "write", input: {} },
    { type: "tool-ended", id: "2", denied: true },
    { type: "tool-ended", id: "1" },
    { type: "approval-requested", id: "3", tool: "shell", input: { command: "ls" } },
    { type: "usage", inputTokens: 1, outputTokens: 1 },
    { type: "run-ended", outcome: "limit", message: "Ten turns." },
  ];
  expect(foldRun(events)).toEqual([
    { kind: "thinking", text: "hm" },
    { kind: "text", text: "I look." },
    { kind: "tool", id: "1", tool: "read", state: "done", ungated: true },
    { kind: "tool", id: "2", tool: "write", state: "failed", ungated: false },
    { kind: "question", id: "3", tool: "shell", input: { command: "ls" } },
    { kind: "note", text: "Ended: limit. Ten turns.", bad: true },
  ]);
});
