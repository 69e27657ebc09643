import { CapabilityRegistry, defineCapability } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { chatMatch } from "./chat-match.ts";

const capability = (id: string, chatPatterns: string[], status: "available" | "deprecated" = "available") =>
  defineCapability({ id, name: id, description: "", status, routing: { chatPatterns } });

const registry = CapabilityRegistry.of([
  capability("broken", ["(unclosed"]),
  capability("old", ["research"], "deprecated"),
  capability("research", ["^\\s*(please )?research\\b"]),
  capability("images", ["(draw|generate) an? (image|picture)"]),
]);

describe("a chat message", () => {
  test.each([
    ["Research the tides", "research"],
    ["please RESEARCH tides", "research"],
    ["Could you draw a picture of a capstan?", "images"],
    ["What about the research you did?", undefined],
    ["Hello", undefined],
  ])("%j is for %s", (message, id) => {
    expect(chatMatch(registry, message)?.capability_id).toBe(id);
  });

  test("is fast for a pattern that would backtrack forever elsewhere", () => {
    const evil = CapabilityRegistry.of([capability("evil", ["(a+)+$"])]);
    expect(chatMatch(evil, `${"a".repeat(50_000)}b`)).toBeNull();
  });
});
