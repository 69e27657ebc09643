import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGrep } from "./line-finder.ts";

describe("compileGrep", () => {
  test.each([
    ["needle", "hay\nneedle here\nhay\na needle", [2, 4]],
    ["^b", "abc\nbcd\ncab", [2]],
    ["c$", "abc\r\nbcd\r\ncab", [1]],
    ["^$", "a\n\nb", [2]],
    ["\\Ab", "abc\nbcd", [2]],
    ["(?-m)^b", "abc\nbcd", [2]],
    ["(?i)ÄPFEL", "birnen\näpfel", [2]],
    ["a.b", "a\nb", []],
    ["x", "", []],
  ])("%j finds its lines in %j", (pattern, text, lines) => {
    expect(find(pattern, text).map(({ line }) => line)).toEqual(lines);
  });

  test.each(["(", "a(?=b)", "(a)\\1", "[z-a]", "x{2000}"])("refuses %j and names the syntax", (pattern) => {
    expect(compileGrep(pattern)).toMatchObject({
      failure: { code: "pattern_invalid", nextStep: expect.stringContaining("RE2") },
    });
  });

  test("a pattern with nested repetition ends quickly, refused or answered", () => {
    expect(() => compileGrep("((((a{100}){100}){100}){100})")).not.toThrow();
  });

  test("a pattern written to backtrack takes linear time", () => {
    expect(find("(a+)+$", `${"a".repeat(50_000)}b`)).toEqual([]);
  });

  test("skips what is not text", () => {
    expect(find("a", Uint8Array.of(97, 0, 97))).toEqual([]);
    expect(find("a", Uint8Array.of(97, 0xff, 97))).toEqual([]);
  });

  test("shows the part of a very long line around the match, and stops at the limit", () => {
    const [match] = find("needle", `${"x".repeat(10_000)}needle${"y".repeat(10_000)}`);
    expect(match?.text.length).toBeLessThan(600);
    expect(match?.text).toContain("needle");
    expect(find("a", "a\n".repeat(100), 3)).toHaveLength(3);
  });

  test("testing the whole file first never misses a line", () => {
    const unit = fc.constantFrom("a", "b", "\n", ".", "^", "$", "*", "|", "\\b", "\\s", "[^a]");
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "b", "\n", " ") }),
        (pattern, text) => {
          const whole = compileGrep(pattern);
          if (!whole.ok) return;
          const lines = text.split("\n");
          if (lines.at(-1) === "") lines.pop();
          const byLine = lines.filter((line) => find(`(?:${pattern})`, `${line}\n`).length > 0);
          expect(find(pattern, text).map((match) => match.text)).toEqual(byLine);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

function find(pattern: string, content: string | Uint8Array, limit = 1_000) {
  const finder = compileGrep(pattern);
  if (!finder.ok) throw new Error(finder.failure.message);
  return finder.value(typeof content === "string" ? new TextEncoder().encode(content) : content, limit);
}
