import { describe, expect, test } from "vitest";
import { highlight, piecesOf } from "./highlight.ts";

describe("highlighted code", () => {
  test.each([
    ["ts", 'const a: number = "<b>".length && 1;'],
    ["python", "print('a & b')  # <script>"],
    ["html", "<script>alert(1)</script>"],
    ["json", '{"a": [1, null]}'],
  ])("keeps every character of %s", async (language, text) => {
    const pieces = await highlight(text, language);
    expect(pieces?.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces?.some(({ className }) => className !== undefined)).toBe(true);
  });

  test("leaves an unknown language plain", async () => {
    expect(await highlight("a", "klingon")).toBeUndefined();
  });

  test("gives nested marks the innermost class", () => {
    expect(piecesOf('<span class="a">x<span class="b">y</span>z</span>&lt;')).toEqual([
      { text: "x", className: "a" },
      { text: "y", className: "b" },
      { text: "z", className: "a" },
      { text: "<", className: undefined },
    ]);
  });
});
