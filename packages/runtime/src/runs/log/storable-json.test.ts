import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storableJson } from "./storable-json.ts";

describe("storableJson", () => {
  test.each([
    ["a plain text", "hello", '"hello"'],
    ["an emoji", "🚢", '"🚢"'],
    ["a NUL", "a\u0000b", '"a\ufffdb"'],
    ["half an emoji", "a\ud83d", '"a\ufffd"'],
    ["a NUL in a key", { "a\u0000": 1 }, '{"a\ufffd":1}'],
    ["a written-out escape", "\\u0000", '"\\\\u0000"'],
  ])("keeps or repairs %s", (_what, value, json) => {
    expect(storableJson(value)).toBe(json);
  });

  test("never passes what Postgres rejects", () => {
    const anyText = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: anyText, nested: fc.dictionary(anyText, anyText) })),
        (value) => {
          const texts = JSON.stringify(JSON.parse(storableJson(value)));
          expect(texts.isWellFormed()).toBe(true);
          expect(texts).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
        },
      ),
      { numRuns: 30 },
    );
  });
});
