import { expect, test } from "vitest";
import { parseKeepingDigits, unclearValue } from "./unclear-values.ts";

test.each([
  ['{"a":1e400}', "1e400 is larger"],
  ["[1,-1e999]", "-1e999 is larger"],
  ['{"id":12345678901234567890}', "more digits"],
  ['{"id":-9007199254740993}', "more digits"],
  [String.raw`{"a":"x\ud800"}`, "half a character"],
  [String.raw`{"\uDC00":1}`, "half a character"],
])("%s says what would be lost", (text, part) => {
  expect(unclearValue(text)).toContain(part);
});

test.each([
  '{"a":1e300,"b":-0,"c":0.12345678901234567890}',
  '{"id":9007199254740992,"other":18446744073709552000,"third":100000000000000000000}',
  '{"text":"12345678901234567890 1e400"}',
  String.raw`{"a":"\ud83d\ude00"}`,
  String.raw`{"a":"\\ud800"}`,
  String.raw`not JSON "\ud800`,
])("%s is clear", (text) => {
  expect(unclearValue(text)).toBeUndefined();
});

test.each([
  ['{"id":12345678901234567890}', { id: "12345678901234567890" }],
  ['[{"a":[-9007199254740993]}]', [{ a: ["-9007199254740993"] }]],
  ['{"a":18446744073709552000,"b":1.5,"c":-0,"d":1e3,"e":"1","f":null,"g":true}', undefined],
])("%s keeps every digit", (text, kept) => {
  expect(parseKeepingDigits(text)).toEqual(kept ?? JSON.parse(text));
});
