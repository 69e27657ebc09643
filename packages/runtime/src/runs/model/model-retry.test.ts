import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { judgeModelError } from "./model-retry.ts";
import { BrokenStream } from "./stream-model.ts";

const policy = { attempts: 3, baseMs: 100, longestSilenceMs: 1000, longestMs: 1000 };
const NOW = new Date("2026-01-01T00:00:00Z");
const judge = (error: unknown, more: { attempt?: number; leftMs?: number } = {}) =>
  judgeModelError({
    error,
    provider: "acme",
    attempt: 1,
    policy,
    leftMs: 60_000,
    now: NOW,
    jitter: 1,
    ...more,
  });
const status = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: `status ${statusCode}`,
    url: "https://acme.example",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
  });

describe("a failed model call", () => {
  test.each([429, 500, 502, 503, 529, 408])("with status %i is retried", (code) => {
    expect(judge(status(code))).toMatchObject({ kind: "retry", waitMs: 100 });
  });

  test.each([
    [401, "provider_key_refused"],
    [403, "provider_key_refused"],
    [400, "provider_request_refused"],
    [404, "provider_request_refused"],
    [422, "provider_request_refused"],
  ])("with status %i ends the run: %s, with a next step", (code, failure) => {
    expect(judge(status(code))).toMatchObject({
      kind: "end",
      failure: { code: failure, nextStep: expect.stringMatching(/retry/) },
    });
  });

  test("that reached nobody says so in words, with the address", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:11434"), {
      code: "ECONNREFUSED",
    });
    const error = new APICallError({
      message: "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:11434",
      url: "http://127.0.0.1:11434/v1/chat/completions",
      requestBodyValues: {},
      cause: refused,
      isRetryable: true,
    });
    expect(judge(error)).toMatchObject({
      kind: "retry",
      why: "nothing is listening there (127.0.0.1:11434)",
    });
  });

  test("whose response has no message says so, instead of naming an error class", () => {
    const silent = new APICallError({
      message: "",
      url: "https://acme.example",
      requestBodyValues: {},
      statusCode: 400,
    });
    expect(JSON.stringify(judge(silent))).toContain("the response gave no reason");
    expect(JSON.stringify(judge(silent))).not.toContain("APICallError");
  });

  test("that cannot answer and gives no reason is told with its status", () => {
    const gateway = new APICallError({
      message: "",
      url: "https://acme.example",
      requestBodyValues: {},
      statusCode: 502,
    });
    expect(JSON.stringify(judge(gateway))).toContain("HTTP 502, and the response gave no reason");
  });

  test.each<[string, Record<string, string>, number]>([
    ["seconds", { "retry-after": "7" }, 7000],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9000],
    ["milliseconds", { "retry-after-ms": "250", "retry-after": "7" }, 250],
    ["nonsense", { "retry-after": "soon" }, 100],
  ])("waits as Retry-After says in %s", (_what, headers, waitMs) => {
    expect(judge(status(429, headers))).toMatchObject({ kind: "retry", waitMs });
  });

  test("waits longer each time, up to a maximum", () => {
    const waits = [1, 2].map((attempt) => judge(status(500), { attempt }));
    expect(waits).toMatchObject([{ waitMs: 100 }, { waitMs: 200 }]);
    expect(judge(status(500), { attempt: 3 })).toMatchObject({
      kind: "end",
      failure: { code: "provider_unavailable" },
    });
  });

  test("ends the run when the provider asks for more time than remains", () => {
    expect(judge(status(429, { "retry-after": "120" }))).toMatchObject({
      kind: "end",
      failure: { code: "provider_busy", nextStep: expect.stringMatching(/120 s/) },
    });
  });

  test.each<[string, unknown, string]>([
    ["a broken connection", new BrokenStream(new Error("ECONNRESET")), "retry"],
    ["an overloaded provider", new BrokenStream({ type: "overloaded_error", message: "busy" }), "retry"],
    ["its own error", new BrokenStream({ error: { type: "api_error", message: "oops" } }), "retry"],
    ["a refused request", new BrokenStream({ type: "invalid_request_error", message: "no" }), "end"],
    ["a refused key", new BrokenStream({ error: { type: "authentication_error", message: "no" } }), "end"],
  ])("inside a stream classifies %s", (_what, error, kind) => {
    expect(judge(error).kind).toBe(kind);
  });
});
