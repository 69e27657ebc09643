import {
  agentSpec,
  CapabilityRegistry,
  compose,
  defineCapability,
  defineTool,
  fail,
  type GateHooks,
  ok,
  type RuntimeAgent,
  type ToolContext,
  type ToolPolicy,
} from "@capstan/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type CallRecord, createGate, type GateOutcome, type GateRequest } from "./gate.ts";

describe("the gate", () => {
  test("runs a known, visible, granted, valid call", async () => {
    expect(await call(agentWith())).toMatchObject({ kind: "done", output: { sum: 3 } });
  });

  test.each<[string, Partial<GateRequest>, string]>([
    ["an unknown tool", { tool: "ad" }, "tool_unknown"],
    ["invalid arguments", { input: { a: "one", b: 2 } }, "tool_input_invalid"],
    ["a spent budget", { budgets: [{ name: "steps", used: 5, limit: 5 }] }, "budget_exhausted"],
    ["a missing session", { tool: "needs_session", input: {} }, "session_required"],
    ["a missing scope", { tool: "scoped", input: {} }, "scope_missing"],
    ["a denied tool", { tool: "denied", input: {} }, "tool_denied"],
    ["a tool that cannot work here", { tool: "absent", input: {} }, "tool_hidden"],
  ])("refuses %s, with a next step", async (_what, request, code) => {
    const outcome = await call(agentWith(), request);
    expect(outcome).toMatchObject({
      kind: "refused",
      failure: { code, nextStep: expect.stringMatching(/.+/) },
    });
  });

  test("stops a tool at its timeout and signals it to stop", async () => {
    const outcome = await call(agentWith(), { tool: "slow", input: {} });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "tool_timeout" } });
  });

  test("turns a throwing tool into a failure", async () => {
    const outcome = await call(agentWith(), { tool: "throws", input: {} });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "tool_crashed" } });
  });

  test("refuses output that does not match the tool's schema", async () => {
    const outcome = await call(agentWith(), { tool: "lies", input: {} });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "tool_output_invalid" } });
  });

  test("requires approval for a high-risk call, and runs it once approved", async () => {
    const agent = agentWith({ risk: "high" });
    expect(await call(agent)).toMatchObject({ kind: "approval" });
    expect(await call(agent, { approved: true })).toMatchObject({ kind: "done" });
  });

  test("validates edited arguments again after approval", async () => {
    const outcome = await call(agentWith({ risk: "high" }), { approved: true, input: { a: 1 } });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "tool_input_invalid" } });
  });

  test.each([
    ["runs what its policy asks about", {}, { kind: "done" }],
    [
      "asks all the same where a check of this call asks",
      { beforeCall: () => ({ decision: "approve", why: "large sum" }) as const },
      { kind: "approval", allowable: false },
    ],
    [
      "runs nothing that a check denies",
      { beforeCall: () => ({ decision: "deny", why: "no" }) as const },
      { kind: "refused" },
    ],
  ])("a tool that was allowed for the session %s", async (_what, hooks, outcome) => {
    const agent = agentWith({ risk: "high" }, hooks);
    expect(await call(agent, { isAllowed: async () => true })).toMatchObject(outcome);
    expect(await call(agent, { isAllowed: async () => false })).not.toMatchObject({ kind: "done" });
  });

  test("a call that changes rights is never allowed for a session", async () => {
    const allowed = { tool: "grants", input: {}, isAllowed: async () => true };
    expect(await call(agentWith(), allowed)).toMatchObject({
      kind: "approval",
      allowable: false,
    });
  });

  test("an allowance for the session gives no scope and no valid input", async () => {
    const outcome = await call(agentWith({ risk: "high" }), { isAllowed: async () => true, input: { a: 1 } });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "tool_input_invalid" } });
  });

  test("passes a client's tool to the client", async () => {
    expect(await call(agentWith(), { tool: "on_client", input: {} })).toMatchObject({ kind: "client" });
  });

  test("truncates a long output and says so", async () => {
    const outcome = await call(agentWith(), { tool: "long", input: {} });
    expect(outcome.kind === "done" && JSON.stringify(outcome.output)).toMatch(/\[cut: \d+ more characters\]/);
  });

  test("records each call once, without payloads", async () => {
    const records: CallRecord[] = [];
    await call(agentWith(), { input: { a: 7, b: 35 } }, records);
    await call(agentWith(), { tool: "denied", input: { secret: "payload" } }, records);
    expect(records.map(({ tool, outcome, capabilityId }) => ({ tool, outcome, capabilityId }))).toEqual([
      { tool: "add", outcome: "success", capabilityId: "math" },
      { tool: "denied", outcome: "refused", capabilityId: "math" },
    ]);
    expect(JSON.stringify(records)).not.toContain("payload");
  });

  test("reports whether the tool ran, however fast it failed", async () => {
    const records: CallRecord[] = [];
    const signal = AbortSignal.abort();
    expect(await call(agentWith(), { tool: "fails", input: {} }, records)).toMatchObject({ ran: true });
    expect(await call(agentWith(), { tool: "denied", input: {} }, records)).toMatchObject({ ran: false });
    expect(await call(agentWith(), { tool: "fails", input: {}, signal }, records)).toMatchObject({
      ran: false,
    });
    expect(records.map(({ outcome }) => outcome)).toEqual(["failed", "refused", "refused"]);
  });
});

describe("hooks inside the gate", () => {
  test.each<[string, GateHooks, Partial<GateOutcome>]>([
    ["can deny", { beforeCall: () => ({ decision: "deny", why: "not today" }) }, { kind: "refused" }],
    [
      "can require approval",
      { beforeCall: () => ({ decision: "approve", why: "large sum" }) },
      { kind: "approval" },
    ],
    [
      "can replace an output",
      { afterCall: () => ({ output: "redacted" }) },
      { kind: "done", output: "redacted" },
    ],
    [
      "can withhold an output",
      { afterCall: () => fail("tool_denied", { tool: "add", why: "secret" }) },
      { kind: "refused" },
    ],
    [
      "deny when they throw",
      {
        beforeCall: () => {
          throw new Error("broken");
        },
      },
      { kind: "refused" },
    ],
    ["that return nothing change nothing", { beforeCall: () => ({ decision: "pass" }) }, { kind: "done" }],
  ])("%s", async (_what, hooks, outcome) => {
    expect(await call(agentWith({}, hooks))).toMatchObject(outcome);
  });

  test("can tighten another capability's policy but never loosen it", async () => {
    const tightened = agentWith({}, {}, { add: "deny" });
    expect(await call(tightened)).toMatchObject({ kind: "refused", failure: { code: "tool_denied" } });
    const loosened = agentWith(
      { risk: "high" },
      { beforeCall: () => ({ decision: "pass" }) },
      { add: "auto" },
    );
    expect(await call(loosened)).toMatchObject({ kind: "approval" });
  });
});

const anything = z.object({}).loose();
const tool = (name: string, more: object = {}) =>
  defineTool({ name, description: name, input: anything, run: () => ok("ran"), ...more });

function agentWith(
  math: { risk?: "high" } = {},
  hooks: GateHooks = {},
  policies: Record<string, ToolPolicy> = {},
): RuntimeAgent {
  const capability = defineCapability({
    id: "math",
    name: "Math",
    description: "Adds.",
    ...math,
    tools: [
      defineTool({
        name: "add",
        description: "Adds two numbers.",
        input: z.object({ a: z.number(), b: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a, b }) => ok({ sum: a + b }),
      }),
      tool("needs_session", { requiresContext: true }),
      tool("scoped", { scopes: ["Mail.Read"] }),
      tool("denied", { policy: "deny" }),
      tool("absent", { unavailable: "no provider is configured" }),
      tool("grants", { policy: "approve", changesRights: true }),
      tool("on_client", { policy: "client" }),
      tool("slow", { timeoutMs: 5, run: () => new Promise(() => {}) }),
      tool("throws", {
        run: () => {
          throw new Error("boom");
        },
      }),
      tool("fails", { run: () => fail("not_found", { what: "page", id: "7" }) }),
      tool("lies", { output: z.object({ sum: z.number() }), run: () => ok({ sum: "three" }) }),
      tool("long", { run: () => ok({ text: "x".repeat(5000) }) }),
    ],
  });
  const guard = defineCapability({ id: "guard", name: "Guard", description: "Watches.", hooks, policies });
  const spec = agentSpec({ name: "tester", capabilities: [{ id: "math" }, { id: "guard" }] });
  const composed = compose(spec, CapabilityRegistry.of([capability, guard]), { scopes: [] });
  if (!composed.ok) throw new Error(composed.failure.message);
  return composed.value;
}

async function call(
  agent: RuntimeAgent,
  request: Partial<GateRequest> = {},
  records: CallRecord[] = [],
): Promise<GateOutcome> {
  const gate = createGate({
    contextFor: (_request, _tool, signal) => ({ signal }) as ToolContext,
    record: (record) => records.push(record),
    now: () => new Date(0),
    maxOutputChars: 1000,
  });
  return gate.call({
    path: "rest",
    agent,
    tool: "add",
    input: { a: 1, b: 2 },
    user: { email: "a@example.com", scopes: [] },
    callId: "1",
    signal: new AbortController().signal,
    ...request,
  });
}
