import { expect, test } from "vitest";
import { reasonText } from "./reason-text.ts";

test.each([
  ["trigger:is it raining", "matches the trigger “is it raining”"],
  ["tag:weather", "has the tag “weather”"],
  ["name:tide", "its name says “tide”"],
  ["words:high low", "its description says “high low”"],
  ["action:send", "can “send”"],
  ["domain:mail", "is about mail"],
  ['semantic:0.94 "how warm is it"', "similar meaning (94%): “how warm is it”"],
  ['similar:0.31 "says "high""', 'similar text (31%): “says "high"”'],
  ["semantic:odd", "similar meaning: odd"],
  ["newer:thing", "newer:thing"],
  ["plain", "plain"],
])("%s is shown as: %s", (reason, text) => {
  expect(reasonText(reason)).toBe(text);
});
