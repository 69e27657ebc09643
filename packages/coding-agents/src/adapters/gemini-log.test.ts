import { expect, test } from "vitest";
import { readGeminiLog } from "./gemini-log.ts";

const at = (words: string) => `[2026-11-19T02:14:33.915Z] [WARN] ${words}`;

test.each([
  [
    "an answer with a status",
    'Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"overloaded now","status":"UNAVAILABLE"}}',
    { attempt: 2, status: 503, message: "overloaded now" },
  ],
  [
    "no answer",
    "Attempt 1 failed. Retrying with backoff... Error: exception TypeError: fetch failed sending request",
    { attempt: 1, message: "fetch failed sending request" },
  ],
  [
    "a limit without a delay",
    "Attempt 1 failed with 429 error (no Retry-After header). Retrying with backoff... Error: 429 Too Many Requests",
    { attempt: 1, status: 429, message: "429 Too Many Requests" },
  ],
  [
    "a limit with the delay that the provider asked for",
    "Attempt 3 failed: You have exhausted your capacity on this model. Retrying after 5500ms...",
    { attempt: 3, status: 429, delayMs: 5500, message: "You have exhausted your capacity on this model" },
  ],
  [
    "a document over several lines",
    "Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {",
    { attempt: 1, status: 500, message: "The request failed; Gemini CLI tries again." },
  ],
])("a failed try is a retry: %s", (_, words, expected) => {
  expect(readGeminiLog(at(words))).toEqual([{ type: "retry", ...expected }]);
});

test.each([
  at("Ripgrep is not available. Falling back to GrepTool."),
  "[2026-11-19T02:14:33.915Z] [LOG] Attempt 1 failed. Retrying with backoff... of a tool",
  "Attempt 1 failed. Retrying with backoff...",
  "",
])("any other line says nothing: %s", (line) => {
  expect(readGeminiLog(line)).toEqual([]);
});
