import { describe, expect, test } from "vitest";
import { buildTrace, type TraceSource } from "./run-trace.ts";
import type { MessageRecord } from "./session-history.ts";
import type { QuestionRow } from "./trace-reads.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const NO_FACTS = { calls: new Map(), capabilities: new Map(), retries: new Map(), lastRetries: [] };

describe("a run's trace", () => {
  test("shows a model call with its own times, its tokens, its first token, its retries and its prompt", () => {
    const usage = {
      model: "m-1",
      inputTokens: 7,
      startedAt: at(1).toISOString(),
      durationMs: 1500,
      firstTokenMs: 300,
      attempts: 2,
      promptId: "p",
      sentMessages: 1,
    };
    const [span] = traced({
      messages: [said("a1", 9, [{ type: "text", text: "hello" }], usage)],
      facts: { ...NO_FACTS, retries: new Map([["a1", ["Too many requests"]]]) },
    });
    expect(span).toMatchObject({
      id: "a1",
      kind: "model",
      name: "m-1",
      started_at: at(1).toISOString(),
      duration_ms: 1500,
      first_token_ms: 300,
      attempts: 2,
      retries: ["Too many requests"],
      prompt_id: "p",
      usage: { model: "m-1", inputTokens: 7 },
      output: [{ type: "text", text: "hello" }],
    });
  });

  test("keeps a long answer a list of parts, each cut by itself", () => {
    const text = "a".repeat(30_000);
    const [span] = traced({ messages: [said("a1", 1, [{ type: "text", text }, call("t1")])] });
    expect(span?.output).toEqual([
      { type: "text", text: `${text.slice(0, 20_000)}… (30000 characters)` },
      call("t1"),
    ]);
  });

  test("shows a call before the model that read its result, although the result was stored after that began", () => {
    const spans = traced({
      messages: [
        said("a1", 1, [call("t1")]),
        result("t1", 9, { type: "json", value: 3 }),
        said("a2", 10, [{ type: "text", text: "three" }], {
          startedAt: at(5).toISOString(),
          durationMs: 4000,
        }),
      ],
      facts: { ...NO_FACTS, calls: new Map([["t1", { durationMs: 2000 }]]) },
    });
    expect(spans.map(({ id }) => id)).toEqual(["a1", "t1", "a2"]);
    expect(spans[1]).toMatchObject({ started_at: at(3).toISOString(), duration_ms: 2000 });
  });

  test("shows a tool call once, with arguments, result, and the time it ran, not the time it waited", () => {
    const spans = traced({
      messages: [said("a1", 1, [call("t1")]), result("t1", 30, { type: "json", value: { sum: 3 } })],
      facts: { ...NO_FACTS, calls: new Map([["t1", { durationMs: 20 }]]) },
      questions: [question({ status: "approved", decided_at: at(29), decided_by: "ann@example.com" })],
    });
    expect(spans.map(({ kind, id }) => [kind, id])).toEqual([
      ["model", "a1"],
      ["gate", "q1"],
      ["tool", "t1"],
    ]);
    expect(spans[1]).toMatchObject({
      duration_ms: 27_000,
      decision: "approved",
      decided_by: "ann@example.com",
    });
    expect(spans[2]).toMatchObject({
      input: { a: 1 },
      output: { sum: 3 },
      duration_ms: 20,
      state: "done",
      decision: "approved",
    });
  });

  test("keeps the order of the conversation for what began in the same millisecond", () => {
    const times = { startedAt: at(2).toISOString(), durationMs: 1 };
    const spans = traced({
      messages: [
        said("a1", 1, [call("t1")]),
        result("t1", 2, { type: "json", value: 3 }),
        said("a2", 2, [{ type: "text", text: "3" }], times),
      ],
      facts: { ...NO_FACTS, calls: new Map([["t1", { durationMs: 0 }]]) },
    });
    expect(spans.map(({ id }) => id)).toEqual(["a1", "t1", "a2"]);
  });

  test("gives the reason why a tool call failed", () => {
    const error = { code: "scope_missing", message: "No.", nextStep: "Ask." };
    const spans = traced({
      messages: [said("a1", 1, [call("t1")]), result("t1", 2, { type: "error-json", value: error })],
    });
    expect(spans[1]).toMatchObject({ state: "failed", error });
  });

  test("shows the call that failed a run before any model output", () => {
    const failure = { code: "provider_unavailable", status: 503, message: "Down.", nextStep: "Retry." };
    const spans = traced({
      run: { status: "failed", createdAt: at(0), updatedAt: at(5), outcome: { type: "failed", failure } },
      facts: { ...NO_FACTS, lastRetries: ["Down.", "Down."] },
    });
    expect(spans).toMatchObject([
      {
        kind: "model",
        state: "failed",
        duration_ms: 5000,
        error: { code: "provider_unavailable" },
        retries: ["Down.", "Down."],
      },
    ]);
  });

  test("shows a call that was cancelled while waiting", () => {
    const spans = traced({
      run: { status: "cancelled", createdAt: at(0), updatedAt: at(9), outcome: { type: "cancelled" } },
      messages: [said("a1", 1, [call("t1")])],
      questions: [question({ status: "cancelled", decided_at: null, decided_by: null })],
    });
    expect(spans.map(({ state }) => state)).toEqual(["done", "cancelled", "cancelled"]);
    expect(spans.find(({ kind }) => kind === "gate")?.duration_ms).toBe(7000);
  });

  test("truncates long values and gives their length", () => {
    const spans = traced({
      messages: [said("a1", 1, [call("t1")]), result("t1", 2, { type: "text", value: "x".repeat(50_000) })],
    });
    expect(String(spans[1]?.output)).toMatch(/… \(50000 characters\)$/);
  });
});

const traced = (source: Partial<TraceSource>) =>
  buildTrace({
    run: { status: "done", createdAt: at(0), updatedAt: at(60), outcome: null },
    messages: [],
    facts: NO_FACTS,
    questions: [],
    ...source,
  });

const call = (toolCallId: string) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName: "add",
  input: { a: 1 },
});

const record = (id: string, second: number) => ({
  id,
  position: second,
  runId: "r1",
  createdAt: at(second),
  feedback: null,
  pinned: false,
  usage: null,
});

const said = (
  id: string,
  second: number,
  content: Extract<MessageRecord, { role: "assistant" }>["content"],
  usage: MessageRecord["usage"] = null,
): MessageRecord => ({ ...record(id, second), role: "assistant", content, usage });

const result = (
  toolCallId: string,
  second: number,
  output: Extract<MessageRecord, { role: "tool" }>["content"][number]["output"],
): MessageRecord => ({
  ...record(`r-${toolCallId}`, second),
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "add", output }],
});

const question = (change: Partial<QuestionRow>): QuestionRow => ({
  id: "q1",
  call_id: "t1",
  tool: "add",
  capability_id: "test_math",
  status: "pending",
  arguments: { a: 1 },
  reason: "Approval is required for every call.",
  words: null,
  edited_arguments: null,
  created_at: at(2),
  decided_at: null,
  decided_by: null,
  ...change,
});
