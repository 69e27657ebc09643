import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countTokens } from "./tokenizer.ts";

describe("countTokens", () => {
  test.each([
    ["", 0],
    ["hello world", 2],
    ["The quick brown fox jumps over the lazy dog.", 10],
    ["antidisestablishmentarianism", 6],
    ["こんにちは世界", 2],
  ])("%j has %d tokens in o200k", (text, count) => {
    expect(countTokens(text)).toBe(count);
  });

  test("a text that looks like a control token is text", () => {
    expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
  });

  test("any text has a stable count of at most one per byte", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const count = countTokens(text);
        expect(count).toBeLessThanOrEqual(new TextEncoder().encode(text).length);
        expect(countTokens(text)).toBe(count);
      }),
    );
  });
});
