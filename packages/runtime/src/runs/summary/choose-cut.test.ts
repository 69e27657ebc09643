import type { ConversationMessage } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { chooseCut, cutBeforeLastTurn } from "./choose-cut.ts";

const user = (id: string): ConversationMessage => ({
  id,
  role: "user",
  content: [{ type: "text", text: id }],
});
const said = (id: string): ConversationMessage => ({
  id,
  role: "assistant",
  content: [{ type: "text", text: id }],
});
const calls = (id: string): ConversationMessage => ({
  id,
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "work", input: {} }],
});
const result = (of: string): ConversationMessage => ({
  id: `${of}.result`,
  role: "tool",
  content: [{ type: "tool-result", toolCallId: of, toolName: "work", output: { type: "text", value: "ok" } }],
});
const options = { keepTokens: 2, tokensOf: () => 1, summarised: 0 };

describe("the cut of a conversation", () => {
  test("is before a turn where one fits into what may stay", () => {
    expect(chooseCut([user("a"), said("b"), user("c"), said("d")], options)).toBe(2);
  });

  test("is between steps of a turn that is too long", () => {
    expect(chooseCut([user("a"), calls("b"), result("b"), calls("c"), result("c")], options)).toBe(3);
  });

  test("never separates a call from a result that arrives after the next message", () => {
    const late = [user("a"), said("x"), calls("b"), user("c"), result("b"), said("d")];
    expect(chooseCut(late, { ...options, keepTokens: 3 })).toBe(5);
    expect(cutBeforeLastTurn(late, 0)).toBe(5);
  });

  test("leaves the last step, however long it is", () => {
    expect(chooseCut([user("a"), said("b"), user("c")], { ...options, keepTokens: 0 })).toBe(2);
  });

  test.each([
    ["a conversation of one message", [user("a")], 0],
    ["what is a summary already", [user("summary"), user("a"), said("b")], 1],
  ])("is nowhere in %s", (_what, messages, summarised) => {
    expect(chooseCut(messages, { ...options, summarised })).toBeUndefined();
    expect(cutBeforeLastTurn(messages, summarised)).toBeUndefined();
  });
});
