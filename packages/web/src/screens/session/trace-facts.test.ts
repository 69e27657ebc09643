import type { TraceSpan } from "@capstan/client";
import { describe, expect, test } from "vitest";
import { factsOf } from "./trace-facts.ts";

const SPAN: TraceSpan = {
  id: "1",
  kind: "tool",
  name: "add",
  started_at: "2026-01-01T00:00:00.000Z",
  duration_ms: 1,
  state: "done",
};

describe("a row of a trace says", () => {
  test.each<[string, Partial<TraceSpan>]>([
    ["42 tok", { kind: "model", usage: { input_tokens: 30, output_tokens: 12 } }],
    ["approved by ann@example.com", { kind: "gate", decision: "approved", decided_by: "ann@example.com" }],
    ["pending", { kind: "gate", decision: "pending" }],
    ["tool_failed", { state: "failed", error: { code: "tool_failed", message: "", nextStep: "" } }],
    ["", {}],
  ])("%j", (facts, change) => {
    expect(factsOf({ ...SPAN, ...change })).toBe(facts);
  });
});
