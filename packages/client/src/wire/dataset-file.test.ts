import { expect, test } from "vitest";
import { datasetFormatOf, itemsInFile } from "./dataset-file.ts";

const ITEM = { id: "1", input: "a\nb", expected: "A" };

test.each([
  ["jsonl", `\uFEFF${JSON.stringify(ITEM)}\r\n\r\n`],
  ["csv", '\uFEFFid,input,expected\r\n1,"a\nb",A\r\n'],
] as const)("a %s file with a byte order mark and Windows line ends is read", (format, text) => {
  expect(itemsInFile(format, text)).toEqual({ ok: true, value: [ITEM] });
});

test("the same id twice is refused", () => {
  const line = `${JSON.stringify(ITEM)}\n`;
  expect(itemsInFile("jsonl", line + line)).toMatchObject({
    failure: { message: 'The file cannot be read: the id "1" is there twice.' },
  });
});

test.each([
  ["cases.jsonl", "jsonl"],
  ["cases.NDJSON", "jsonl"],
  ["my.cases.csv", "csv"],
  ["cases", undefined],
])("%s is a file of %s", (path, format) => expect(datasetFormatOf(path)).toBe(format));
