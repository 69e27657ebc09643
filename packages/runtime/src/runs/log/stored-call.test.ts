import { expect, test } from "vitest";
import { callParts, readCall, storedCall } from "./stored-call.ts";

const usage = { provider: "p", model: "m", inputTokens: 10, outputTokens: 2, totalTokens: 12, costUsd: 0.5 };
const unnamed = {
  startedAt: "2026-01-02T03:04:05.678Z",
  durationMs: 21,
  attempts: 1,
  sentMessages: 3,
  promptId: "hash",
  responseId: "r",
  finishReason: "stop",
};
const timing = { ...unnamed, responseModel: "m" };

test.each([
  ["answered at once", timing],
  ["by a model that the provider does not name", unnamed],
  ["with a first token", { ...timing, firstTokenMs: 17 }],
  ["after a retry", { ...timing, attempts: 3 }],
  ["by another model than was asked", { ...timing, responseModel: "m-2026" }],
])("a call %s is read as it was", (_, told) => {
  const call = readCall(JSON.parse(JSON.stringify(storedCall(usage, told))));
  expect(call).toEqual({ ...usage, ...told });
  expect(callParts(call)).toEqual({ usage, timing: told });
});

test("a call of an earlier version, with a name for each number, is read as it was", () => {
  expect(readCall({ ...usage, ...timing })).toEqual({ ...usage, ...timing });
});

test("a stored call is half as long as its facts", () => {
  const facts = JSON.stringify({ ...timing, firstTokenMs: 17 }).length;
  const stored = JSON.stringify(storedCall(usage, { ...timing, firstTokenMs: 17 })).length;
  expect(stored - JSON.stringify(usage).length).toBeLessThan(facts / 2);
});
