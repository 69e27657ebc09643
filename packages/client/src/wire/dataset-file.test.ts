import { expect, test } from "vitest";
import { datasetFormatOf, datasetText, itemsInFile } from "./dataset-file.ts";

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

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
test.each([
  ["UTF-8", Buffer.from("Grüße")],
  ["UTF-8 with a mark", Buffer.from("\uFEFFGrüße")],
  ["UTF-16", utf16("Grüße")],
  ["UTF-16, big end first", utf16("Grüße").swap16()],
])("text in %s is read", (_encoding, bytes) => {
  expect(datasetText(bytes)).toEqual({ ok: true, value: "Grüße" });
});

test("text in another encoding is refused, so that no letter is lost", () => {
  expect(datasetText(Buffer.from("Grüße", "latin1"))).toMatchObject({
    failure: { code: "dataset_file_invalid" },
  });
});
