import { expect, test } from "vitest";
import { changeText } from "./replay-text.ts";

test.each([
  [{}, "Unchanged"],
  [{ revision: 3, model: "a/b" }, "With revision 3, model a/b"],
  [{ capabilities: [{ id: "tides", version: "1.0.0" }, { id: "noop" }] }, "With tides@1.0.0, noop"],
  [{ system_prompt: "Be brief.", rules: 2 }, "With prompt “Be brief.”, 2 rules"],
])("the change %j reads %j", (change, text) => {
  expect(changeText({ with: change })).toBe(text);
});

test("a long prompt is shortened", () => {
  expect(changeText({ with: { system_prompt: "x".repeat(500) } }).length).toBeLessThan(80);
});
