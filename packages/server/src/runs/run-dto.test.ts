import { fail } from "@capstan/core";
import type { Approval, RunRecord } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { approvalDto, runDto, traceDto } from "./run-dto.ts";

const run = (parts: Partial<RunRecord>): RunRecord => ({
  id: "r1",
  sessionId: "s1",
  agentId: "a1",
  status: "failed",
  segment: 0,
  messageId: "m1",
  pending: null,
  outcome: null,
  usage: null,
  parentRunId: null,
  createdAt: new Date(0),
  updatedAt: new Date(1000),
  ...parts,
});
const failed = ({ failure }: ReturnType<typeof fail>): RunRecord["outcome"] => ({ type: "failed", failure });

describe("a run in the API", () => {
  test.each([
    ["steps", fail("run_step_limit", { limit: 3 })],
    ["time", fail("run_time_limit", { limitSeconds: 3 })],
    ["tokens", fail("run_token_limit", { limit: 3, used: 4 })],
    ["cost", fail("run_cost_limit", { limitUsd: 1, usedUsd: 2 })],
    ["a budget of the gate", fail("budget_exhausted", { budget: "calls", limit: 1, used: 1 })],
  ])("that reached its limit on %s has the status limit, and names the limit", (_, refused) => {
    expect(runDto(run({ outcome: failed(refused) }))).toMatchObject({
      status: "limit",
      error: { code: refused.failure.code },
    });
  });

  test("that failed otherwise has the status failed", () => {
    const outcome = failed(fail("internal", { reference: "x" }));
    expect(runDto(run({ outcome }))).toMatchObject({ status: "failed", error: { code: "internal" } });
  });

  test("that is done names its message in snake_case", () => {
    const outcome = { type: "done", messageId: "m2", output: { a: 1 } } as const;
    expect(runDto(run({ status: "done", outcome })).outcome).toEqual({
      type: "done",
      message_id: "m2",
      output: { a: 1 },
    });
  });

  test("costs what its calls cost together, without the noise of the sum", () => {
    const usage = { steps: 2, activeMs: 5, costUsd: 59.809999999999995, tokens: [] };
    expect(runDto(run({ status: "done", usage })).usage.cost_usd).toBe(59.81);
  });

  test("names the cost of one of its model calls likewise, and null where it is unknown", () => {
    const span = {
      id: "m",
      kind: "model",
      name: "m",
      started_at: "",
      duration_ms: 1,
      state: "done",
    } as const;
    expect(traceDto({ ...span, usage: { costUsd: 0.1 + 0.2 } }).usage?.cost_usd).toBe(0.3);
    expect(traceDto({ ...span, usage: {} }).usage?.cost_usd).toBeNull();
  });
});

describe("an approval in the API", () => {
  const approval = (capabilityId: string, tool: string): Approval => ({
    id: "p1",
    kind: "tool",
    runId: "r1",
    sessionId: "s1",
    agentId: "a1",
    userEmail: "ann@example.com",
    capabilityId,
    tool,
    callId: "c1",
    arguments: {},
    pin: null,
    reason: "",
    allowable: true,
    status: "pending",
    expiry: { policy: "wait" },
    expiresAt: null,
    assignee: "ann@example.com",
    assigneeOnly: false,
    decidedBy: null,
    decidedAt: null,
    words: null,
    editedArguments: null,
    config: null,
    result: null,
    createdAt: new Date(0),
    sessionTitle: null,
    asked: null,
  });

  test.each([
    ["request_access", "request_access", "scope"],
    ["request_access", "my_request_access", "scope"], // an agent may give the capability a prefix
    ["helpdesk", "request_access", "tool"], // another capability's tool may have the same name
  ])("of %s for its tool %s is a question of kind %s", (capability, tool, kind) => {
    const context = { agentName: null, inputSchema: null };
    expect(approvalDto(approval(capability, tool), context).kind).toBe(kind);
  });
});
