import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { findWords } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { MessageBuilder } from "./message-builder.ts";
import { TextGuard } from "./text-guard.ts";

const check = { id: "c", name: "c", find: { words: ["falcon"] }, effect: "mask" as const };
function said(parts: readonly LanguageModelV4StreamPart[], before = ""): string {
  const guard = new TextGuard([{ check, find: findWords(["falcon", "project eagle"]) }], before);
  const events: string[] = [];
  const builder = new MessageBuilder("m", new Set(), (event) => events.push(JSON.stringify(event)));
  for (const part of parts) for (const passed of guard.take(part)) builder.take(passed);
  for (const passed of guard.flush()) builder.take(passed);
  builder.close();
  return JSON.stringify([builder.parts, events]);
}
const say = (delta: string, id = "0"): LanguageModelV4StreamPart => ({ type: "text-delta", id, delta });
const think = (delta: string, id = "t"): LanguageModelV4StreamPart => ({
  type: "reasoning-delta",
  id,
  delta,
});

test.each<[string, LanguageModelV4StreamPart]>([
  ["a source", { type: "source", sourceType: "url", id: "s", url: "https://example.com" }],
  ["what a provider says of itself", { type: "response-metadata", id: "r" }],
  ["a raw piece", { type: "raw", rawValue: {} }],
  ["the end of an earlier thought", { type: "reasoning-end", id: "t" }],
  ["another block of text", { type: "text-start", id: "1" }],
])("a word is found also where %s is in the middle of it", (_, between) => {
  const text = said([say("Project Fal"), between, say("con is late", "1")]);
  expect(text).toContain("[removed]");
  expect(text).not.toMatch(/fal|con is/i);
});

test("a word in a thought is found wherever it was cut", () => {
  expect(said([think("Fal"), think("con")])).toContain("[removed]");
});

const call: LanguageModelV4StreamPart = { type: "tool-call", toolCallId: "1", toolName: "add", input: "{}" };

test.each<[string, LanguageModelV4StreamPart[]]>([
  ["a call", [say("Project Fal"), call, say("con is late")]],
  ["two calls", [say("Project Fal"), call, say("co"), call, say("n is late\nfine")]],
  ["thinking", [say("Project Fal"), think("hm"), say("con is late")]],
  ["a call between words", [say("The Project"), call, say("Eagle is late")]],
])("the rest of a word is masked where %s is in the middle of it", (_, parts) => {
  const text = said(parts);
  expect(text).toContain("[removed] is late");
  expect(text).not.toMatch(/"(?:con|n|Eagle) is/);
});

test("the rest of a word is masked that the answer before a call began", () => {
  expect(said([say("con is late")], "Fine.\nProject Fal")).toContain("[removed] is late");
  expect(said([say("con is late")], "Project Fal\n")).toContain("con is late");
});

test("what is found after a call alone masks nothing before it", () => {
  expect(said([say("Hello"), call, say("a falcon flies")])).toContain("a [removed] flies");
});

test("an answer that continues nothing is left as it is", () => {
  expect(said([say("My fal"), call, say("low field")], "A falcon")).toContain("low field");
  expect(said([say("My fal"), call, say("low\ncon is\nx")])).toContain("con is");
});
