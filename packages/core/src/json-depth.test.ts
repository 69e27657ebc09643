import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonDepth } from "./json-depth.ts";

test.each([
  ["1", 0],
  ["[]", 1],
  ['{"a":[{}]}', 3],
  ['["[[[["]', 1],
  ['["\\"[[["]', 1],
  ['{"[":"{"}', 1],
  ['["unfinished [[[', 1],
])("%s is %i deep", (text, depth) => {
  expect(jsonDepth(text)).toBe(depth);
});

test("any JSON is as deep as a walk through it", () => {
  const walk = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(walk)) : 0;
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonDepth(JSON.stringify(value)) === walk(value)));
});
