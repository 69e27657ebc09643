import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileKind } from "./file-kind.ts";
import { lineDiff } from "./line-diff.ts";
import { parseCsv } from "./parse-csv.ts";

test.each([
  ["/a.png", undefined, "image"],
  ["/a.pdf", undefined, "pdf"],
  ["/a.csv", "a,b", "csv"],
  ["/a.json", '{"a":1}', "json"],
  ["/a.json", "{broken", "text"],
  ["/README.md", "# Hi", "markdown"],
  ["/a.py", "print(1)", "text"],
  ["/a.bin", undefined, "binary"],
])("%s with %j is shown as %s", (path, text, kind) => {
  expect(fileKind(path, text)).toBe(kind);
});

describe("CSV", () => {
  test.each([
    [
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a;b\r\n1;2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ["a\tb", [["a", "b"]]],
    ['"say ""hi"", twice",2', [['say "hi", twice', "2"]]],
    ['"two\nlines",x', [["two\nlines", "x"]]],
    ["", []],
  ])("%j is read as %j", (text, rows) => {
    expect(parseCsv(text)).toEqual(rows);
  });
});

describe("a diff", () => {
  test("shows what went and what came", () => {
    expect(lineDiff("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([
      { kind: "same", text: "a" },
      { kind: "gone", text: "b" },
      { kind: "new", text: "x" },
      { kind: "same", text: "c" },
      { kind: "new", text: "d" },
    ]);
  });

  test("leads from the one text to the other, whatever they are", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
      .map((lines) => lines.join("\n"));
    const lines = (value: string) => (value === "" ? [] : value.replace(/\n$/, "").split("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff(before, after);
        expect(diff.flatMap(({ kind, text }) => (kind === "gone" ? [] : [text]))).toEqual(lines(after));
        expect(diff.flatMap(({ kind, text }) => (kind === "new" ? [] : [text]))).toEqual(lines(before));
      }),
    );
  });
});
