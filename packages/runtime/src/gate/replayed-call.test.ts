/** The path `replay`, with results that claim anything: whatever they answer, nothing with side effects runs. */
import {
  agentSpec,
  CapabilityRegistry,
  compose,
  defineCapability,
  defineTool,
  ok,
  type RuntimeAgent,
  type ToolContext,
} from "@capstan/core";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type CallRecord, createGate, type GateOutcome } from "./gate.ts";
import type { ReplayedResults } from "./replayed-call.ts";

const ran: string[] = [];
const wrote: string[] = [];
beforeEach(() => {
  ran.length = 0;
  wrote.length = 0;
});
const RUN: ReplayedResults = { answer: () => "run" };

describe("on the path replay", () => {
  test.each(["write", "undeclared", "irreversible", "sends", "rights", "code", "elsewhere"])(
    "the tool %s does not run, even if the recording says so and a person approved it",
    async (tool) => {
      for (const approved of [false, true]) {
        const { outcome, records } = await call(tool, RUN, { approved });
        expect(outcome).not.toMatchObject({ kind: "done" });
        if (approved) expect(outcome).toMatchObject({ kind: "refused", failure: { code: "replay_effect" } });
        expect(records).toMatchObject([{ path: "replay" }]);
      }
      expect(ran).toEqual([]);
    },
  );

  test("a program of others runs only for an author who tests it, and only if it declares that it reads", async () => {
    const asTest: ReplayedResults = { ...RUN, testsPrograms: true };
    expect((await call("elsewhere", asTest)).outcome).toMatchObject({ kind: "done" });
    expect((await call("write", asTest)).outcome).not.toMatchObject({ kind: "done" });
    expect(ran).toEqual(["elsewhere"]);
  });

  test("the labels of recalled facts are told to the replay", async () => {
    const told: string[] = [];
    await call("recalls", { ...RUN, noteRecall: (labels) => told.push(...labels) });
    expect(told).toEqual(["untrusted"]);
  });

  test("a call without results is refused", async () => {
    expect((await call("read", undefined)).outcome).toMatchObject({ failure: { code: "replay_effect" } });
    expect(ran).toEqual([]);
  });

  test("a tool that only reads runs, and cannot write by its context", async () => {
    expect((await call("read", RUN)).outcome).toMatchObject({ kind: "done" });
    for (const tool of ["posts", "writes_file", "stores", "remembers"])
      expect((await call(tool, RUN)).outcome).not.toMatchObject({ kind: "done", output: "written" });
    expect(ran).toEqual(["read", "posts", "writes_file", "stores", "remembers"]);
    expect(wrote).toEqual([]);
  });

  test("rules on trial lift nothing that the rules in force deny", async () => {
    const results: ReplayedResults = { rules: async () => NO_RULING, answer: () => "run" };
    const { outcome } = await call("read", results, { denies: true });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "rule_denied" } });
    expect(ran).toEqual([]);
  });

  test("what the recording answers is passed on and leaves no record", async () => {
    const done: GateOutcome = { kind: "done", output: "recorded", capabilityId: "c", durationMs: 0 };
    const { outcome, records } = await call("write", { answer: () => done });
    expect([outcome, records, ran]).toEqual([done, [], []]);
  });
});

const NO_RULING = { decision: undefined, counts: [] };

async function call(
  tool: string,
  replayed: ReplayedResults | undefined,
  { approved = false, denies = false } = {},
): Promise<{ outcome: GateOutcome; records: CallRecord[] }> {
  const records: CallRecord[] = [];
  const write = (what: string) => async () => {
    wrote.push(what);
    return ok(undefined);
  };
  const context = {
    fetch: write("fetch"),
    fileStore: { write: write("file"), delete: write("file") },
    store: { set: write("store"), delete: write("store") },
    memory: { remember: write("memory"), recall: async () => [{ labels: ["untrusted"] }] },
  } as unknown as ToolContext;
  const rule = { id: "r", name: "never", tools: ["*"], when: [], effect: "deny" as const };
  const gate = createGate({
    contextFor: () => context,
    record: (record) => records.push(record),
    now: () => new Date(0),
    maxOutputChars: 1000,
    rules: async () =>
      denies ? { decision: { effect: "deny", rule, why: "a rule" }, counts: [] } : NO_RULING,
  });
  const outcome = await gate.call({
    path: "replay",
    agent: agent(),
    tool,
    input: {},
    user: { email: "a@example.com", scopes: [] },
    callId: "1",
    signal: new AbortController().signal,
    approved,
    ...(replayed && { replayed }),
  });
  return { outcome, records };
}

function agent(): RuntimeAgent {
  const tool = (
    name: string,
    more: object,
    act: (context: ToolContext) => Promise<unknown> = async () => {},
  ) =>
    defineTool({
      name,
      description: "",
      input: z.object({}),
      ...more,
      run: async (_input, context) => {
        ran.push(name);
        const answer = (await act(context)) as { ok?: boolean } | undefined;
        return ok(answer?.ok ? "written" : "read");
      },
    });
  const capability = defineCapability({
    id: "c",
    name: "C",
    description: "",
    tools: [
      tool("read", { risk: "read" }),
      tool("write", { risk: "write" }),
      tool("undeclared", {}),
      tool("irreversible", { risk: "irreversible" }),
      tool("sends", { risk: "read", writes: "external" }),
      tool("rights", { risk: "read", changesRights: true }),
      tool("code", { risk: "read", runsCode: { sandboxed: true } }),
      tool("elsewhere", { risk: "read", runsElsewhere: true }),
      tool("remembers", { risk: "read" }, async ({ memory }) =>
        memory?.remember({ text: "a", scope: "user" }),
      ),
      tool("recalls", { risk: "read" }, async ({ memory }) => memory?.recall("a", 1)),
      tool("posts", { risk: "read" }, ({ fetch }) => fetch("https://example.com/", { method: "POST" })),
      tool("writes_file", { risk: "read" }, async ({ fileStore }) =>
        fileStore?.write("/a", new Uint8Array()),
      ),
      tool("stores", { risk: "read" }, ({ store }) => store.set("a", 1)),
    ],
  });
  const spec = agentSpec({ name: "tester", capabilities: [{ id: "c" }] });
  const composed = compose(spec, CapabilityRegistry.of([capability]), { scopes: [] });
  if (!composed.ok) throw new Error(composed.failure.message);
  return composed.value;
}
