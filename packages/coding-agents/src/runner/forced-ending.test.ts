import { expect, test } from "vitest";
import { timedOut } from "./forced-ending.ts";

test("a time limit says why, if the program was still trying again", () => {
  const retried = { message: "rate limited", code: "coding_agent_rate_limited" } as const;
  expect(timedOut("acme", 500, retried)).toEqual({
    outcome: "limit",
    limit: "time",
    code: "coding_agent_rate_limited",
    message: expect.stringMatching(/^The run timed out after 500 ms, while it tried again\. .*rate limited/),
    nextStep: expect.any(String),
  });
  expect(timedOut("acme", 500, undefined)).toEqual({
    outcome: "limit",
    limit: "time",
    message: "The run timed out after 500 ms.",
  });
});
