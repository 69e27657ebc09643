import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { findWords } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { MessageBuilder } from "./message-builder.ts";
import { TextGuard } from "./text-guard.ts";

const check = { id: "c", name: "c", find: { words: ["falcon"] }, effect: "mask" as const };
function said(parts: readonly LanguageModelV4StreamPart[]): string {
  const guard = new TextGuard([{ check, find: findWords(["falcon"]) }]);
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
