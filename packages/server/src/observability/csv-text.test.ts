import { expect, test } from "vitest";
import { csvText } from "./csv-text.ts";

test.each([
  [["a", 1, "b"], "a,1,b\r\n"],
  [['say "hi", twice'], '"say ""hi"", twice"\r\n'],
  [["two\nlines"], '"two\nlines"\r\n'],
  [["=cmd|' /C calc'!A0"], "'=cmd|' /C calc'!A0\r\n"],
  [["-1", "@x"], "'-1,'@x\r\n"],
  [[-1], "-1\r\n"],
])("writes %j as %j", (row, text) => {
  expect(csvText([row])).toBe(text);
});
