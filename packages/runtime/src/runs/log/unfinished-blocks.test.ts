import type { RunEvent } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { unfinishedBlocks } from "./unfinished-blocks.ts";

const started: RunEvent = { type: "RUN_STARTED", threadId: "t", runId: "r" };

describe("blocks left unfinished", () => {
  test("are closed innermost first", () => {
    const { closingEvents, isRunning } = unfinishedBlocks([
      started,
      { type: "STEP_STARTED", stepName: "step-1" },
      { type: "REASONING_START", messageId: "r1" },
      { type: "REASONING_MESSAGE_START", messageId: "r1", role: "reasoning" },
    ]);
    expect(closingEvents.map(({ type }) => type)).toEqual([
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "STEP_FINISHED",
    ]);
    expect(isRunning).toBe(true);
  });

  test("are none once everything ended", () => {
    expect(
      unfinishedBlocks([
        started,
        { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
        { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "hi" },
        { type: "TEXT_MESSAGE_END", messageId: "m" },
        { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "add" },
        { type: "TOOL_CALL_END", toolCallId: "c" },
        { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "Clerk" },
        { type: "SUBAGENT_ERROR", subagentRunId: "s", message: "no" },
        { type: "RUN_FINISHED", threadId: "t", runId: "r" },
      ]),
    ).toEqual({ closingEvents: [], texts: [], isRunning: false });
  });

  test("include the text that was shown", () => {
    const { texts } = unfinishedBlocks([
      started,
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Once " },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "upon" },
    ]);
    expect(texts).toEqual([{ messageId: "m", text: "Once upon" }]);
  });

  test("are reset with each run", () => {
    const { closingEvents } = unfinishedBlocks([
      started,
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "add" },
      { type: "RUN_ERROR", message: "broken" },
      started,
    ]);
    expect(closingEvents).toEqual([]);
  });
});
