import { describe, expect, test } from "vitest";
import { lastWords, plainMessage, runErrorCode } from "./run-error.ts";

describe("why a run failed", () => {
  test.each([
    ["unexpected status 401 Unauthorized: invalid x-api-key", undefined, "coding_agent_not_logged_in"],
    ["Invalid API key", undefined, "coding_agent_not_logged_in"],
    ["Not logged in. Please run /login", undefined, "coding_agent_not_logged_in"],
    ["exceeded retry limit, last status: 429 Too Many Requests", undefined, "coding_agent_rate_limited"],
    ["Authentication needed to raise your rate limit", 429, "coding_agent_rate_limited"],
    ["You exceeded your current quota", undefined, "coding_agent_rate_limited"],
    ["model gpt-9 not found", 404, "coding_agent_model_unknown"],
    ["The model `gpt-9` does not exist", undefined, "coding_agent_model_unknown"],
    [
      "models/m is not found for API version v1beta, or is not supported for generateContent.",
      500, // as Gemini tells it over ACP
      "coding_agent_model_unknown",
    ],
    ["[API Error: models/m is not found for API version v1beta]", undefined, "coding_agent_model_unknown"],
    ["API error (503)", undefined, "coding_agent_provider_down"],
    ["stream disconnected before completion", undefined, "coding_agent_provider_down"],
    [
      "Execution failed: Failed to get response from the AI model; retried 5 times",
      undefined,
      "coding_agent_provider_down",
    ],
    ["fetch failed", undefined, "coding_agent_provider_down"],
    ["Model stream ended without a finish reason.", undefined, "coding_agent_provider_down"],
    [
      "OpenAI Responses stream ended before a terminal response event",
      undefined,
      "coding_agent_provider_down",
    ],
    ["[API Error: Incomplete JSON segment at the end]", undefined, "coding_agent_provider_down"],
    [
      "The model returned an empty response with no text or thoughts.",
      undefined,
      "coding_agent_provider_down",
    ],
    [`Unexpected token '<', "<html><bod"... is not valid JSON`, undefined, "coding_agent_provider_down"],
    ["it ran out of ideas", undefined, "coding_agent_failed"],
    ["sim bad request", 400, "coding_agent_failed"],
  ])("%j with status %s is %s", (message, status, code) => {
    expect(runErrorCode({ message, status })).toBe(code);
  });
});

describe("a message that people can read", () => {
  test.each([
    ["\u001b[31mError:\u001b[0m no key", "Error: no key"],
    ['{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}', "slow down"],
    [
      'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
      "API Error: 401: invalid x-api-key",
    ],
    [
      '[API Error: {"error":{"message":"{\\n  \\"error\\": {\\n    \\"message\\": \\"sim exploded\\"}}","code":500}}]',
      "API Error: sim exploded",
    ],
    ["plain words", "plain words"],
    ["{ not json", "{ not json"],
  ])("of %j is %j", (text, plain) => {
    expect(plainMessage(text)).toBe(plain);
  });

  test.each([
    ['{"type":"stream_event","delta":{"text":"word1 "}}', ""],
    ['{"error":{"message":"slow down"}}', "slow down"],
    ["panic: out of cheese", "panic: out of cheese"],
  ])("a program's last output %j is quoted as %j", (output, words) => {
    expect(lastWords(output)).toBe(words);
  });

  test("is never longer than a page", () => {
    expect(plainMessage("x".repeat(100_000)).length).toBeLessThan(3_000);
  });
});
