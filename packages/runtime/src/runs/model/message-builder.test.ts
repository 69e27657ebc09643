import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { RunEvent } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { MessageBuilder } from "./message-builder.ts";

function build(parts: readonly LanguageModelV4StreamPart[], usedCallIds = new Set<string>()) {
  const events: RunEvent[] = [];
  const builder = new MessageBuilder("m", usedCallIds, (event) => events.push(event));
  for (const part of parts) builder.take(part);
  builder.close();
  return { parts: builder.parts, events, types: events.map(({ type }) => type) };
}
const say = (delta: string, id = "0"): LanguageModelV4StreamPart => ({ type: "text-delta", id, delta });
const callOf = (toolCallId: string, input = "{}"): LanguageModelV4StreamPart => ({
  type: "tool-call",
  toolCallId,
  toolName: "add",
  input,
});

describe("a model's stream", () => {
  test("becomes one text, whatever blocks it arrived in", () => {
    const { parts, types } = build([
      { type: "text-start", id: "0" },
      say("Hel"),
      say("lo. "),
      { type: "text-end", id: "0" },
      { type: "text-start", id: "1" },
      say("More.", "1"),
      { type: "text-end", id: "1" },
    ]);
    expect(parts).toEqual([{ type: "text", text: "Hello. More." }]);
    expect(types.filter((type) => type !== "TEXT_MESSAGE_CONTENT")).toEqual([
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_END",
    ]);
  });

  test("shows nothing for an empty block", () => {
    expect(build([{ type: "text-start", id: "0" }, say(""), { type: "text-end", id: "0" }])).toMatchObject({
      parts: [],
      events: [],
    });
  });

  test("never shows half an emoji", () => {
    const { parts, events } = build([say("a\ud83d"), say("\udea2b"), say("\ud83d")]);
    expect(parts).toEqual([{ type: "text", text: "a🚢b\ud83d" }]);
    const deltas = events.flatMap((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : []));
    expect(deltas).toEqual(["a", "🚢b", "\ud83d"]);
  });

  test("streams a call's arguments, and shows calls that arrive complete", () => {
    const streamed = build([
      { type: "tool-input-start", id: "c1", toolName: "add" },
      { type: "tool-input-delta", id: "c1", delta: '{"a":' },
      { type: "tool-input-delta", id: "c1", delta: "1}" },
      { type: "tool-input-end", id: "c1" },
      callOf("c1", '{"a":1}'),
    ]);
    const whole = build([callOf("c1", '{"a":1}')]);
    expect(streamed.types).toEqual(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_ARGS", "TOOL_CALL_END"]);
    expect(whole.types).toEqual(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]);
    expect(whole.parts).toEqual(streamed.parts);
    expect(whole.parts).toEqual([{ type: "tool-call", toolCallId: "c1", toolName: "add", input: { a: 1 } }]);
  });

  test.each([
    ['{"a":', { unparsed: '{"a":' }],
    ["7", { unparsed: "7" }],
    ["", {}],
  ])("keeps arguments that are not an object visible: %j", (input, kept) => {
    expect(build([callOf("c1", input)]).parts).toMatchObject([{ input: kept }]);
  });

  test("renames a call id that was used before", () => {
    const { parts, events } = build([callOf("call_0")], new Set(["call_0"]));
    expect(parts).toMatchObject([{ toolCallId: "call_0.m" }]);
    expect(events.every((event) => !("toolCallId" in event) || event.toolCallId === "call_0.m")).toBe(true);
  });

  test("puts text after a call into a separate part", () => {
    const { events } = build([callOf("c1"), say("Later.")]);
    expect(events).toContainEqual({ type: "TEXT_MESSAGE_START", messageId: "m.1", role: "assistant" });
  });

  test("keeps reasoning with its signature, even without text", () => {
    const { parts, types } = build([
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "reasoning-delta", id: "r", delta: "", providerMetadata: { p: { signature: "s" } } },
      { type: "reasoning-end", id: "r" },
      { type: "reasoning-start", id: "q", providerMetadata: { p: { redacted: "x" } } },
      { type: "reasoning-end", id: "q" },
      { type: "reasoning-start", id: "empty" },
      { type: "reasoning-end", id: "empty" },
      say("Yes."),
    ]);
    expect(parts).toEqual([
      { type: "reasoning", text: "hm", providerOptions: { p: { signature: "s" } } },
      { type: "reasoning", text: "", providerOptions: { p: { redacted: "x" } } },
      { type: "text", text: "Yes." },
    ]);
    expect(types.filter((type) => type === "REASONING_ENCRYPTED_VALUE")).toHaveLength(2);
  });

  test("that breaks is closed", () => {
    const { types } = build([say("Hal"), { type: "tool-input-start", id: "c1", toolName: "add" }]);
    expect(types).toEqual([
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_START",
      "TOOL_CALL_END",
    ]);
  });
});
