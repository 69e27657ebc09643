import { defineCapability, defineTool, ok, type RunEvent } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { collect, last, results, spoken, USER } from "../../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../../tools/legal-events.ts";
import type { Script } from "../../../../../tools/scripted-model.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { type EngineInUse, useEngine } from "../../../../../tools/use-engine.ts";
import { agentCapability, agentCapabilityId } from "./subagents.ts";

const PARENT = "00000000-0000-7000-8000-0000000000a1";
const CHILD = "00000000-0000-7000-8000-0000000000b2";
const LOOP = "00000000-0000-7000-8000-0000000000c3";

const secrets = defineCapability({
  id: "secrets",
  name: "Secrets",
  description: "Needs a right.",
  tools: [
    defineTool({
      name: "read_secret",
      description: "Reads a secret.",
      scopes: ["Secrets.Read"],
      input: z.object({}),
      run: () => ok("the secret"),
    }),
  ],
});

describe.each(STORES)("agents that use agents on $name", ({ fresh }) => {
  const parts = {
    runs: () => engine.runs,
    get pool() {
      return engine.database.pool;
    },
  };
  const engine: EngineInUse = useEngine(fresh, {
    capabilities: [
      secrets,
      agentCapability(
        { id: CHILD, name: "Clerk", description: "Does the paperwork.", release: "1.0.0" },
        parts,
      ),
      agentCapability({ id: LOOP, name: "Loop", description: "", release: "1.0.0" }, parts),
    ],
    agents: [
      {
        id: PARENT,
        systemPrompt: "You are the parent.",
        capabilities: [
          { id: "test_tools" },
          { id: agentCapabilityId(CHILD) },
          { id: agentCapabilityId(LOOP) },
        ],
        grantedScopes: ["Mail.Read"],
      },
      {
        id: CHILD,
        systemPrompt: "You are the child.",
        capabilities: [{ id: "test_tools" }, { id: "secrets" }],
        grantedScopes: ["Mail.Read", "Secrets.Read"],
      },
      { id: LOOP, systemPrompt: "You are the loop.", capabilities: [{ id: agentCapabilityId(LOOP) }] },
    ],
  });
  const isChild = (call: Parameters<Script>[0]) => JSON.stringify(call.prompt[0]).includes("the child");
  const asking =
    (child: Script): Script =>
    (call, step) => {
      if (isChild(call)) return child(call, step);
      if (step > 0) return [{ text: `Clerk says: ${JSON.stringify(call.prompt.at(-1)?.content)}` }];
      return [{ call: "delegate_to_clerk", input: { task: "file this" } }];
    };

  async function turn(script: Script): Promise<{ session: string; events: RunEvent[] }> {
    engine.answers = script;
    const session = await engine.newSession({ agentId: PARENT });
    await engine.runs.send(session, { content: "go" });
    return { session, events: await collect(engine.runs, session) };
  }

  test("delegate a task to a separate run and answer with its result", async () => {
    const { events } = await turn(asking(() => [{ text: "Filed." }]));
    expect(spoken(events)).toMatch(/Clerk says: .*Filed\./);
    expect(events).toContainEqual(expect.objectContaining({ type: "SUBAGENT_STARTED", name: "Clerk" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "SUBAGENT_FINISHED", result: "Filed." }));
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("give the child at most their own rights", async () => {
    const { events } = await turn(
      asking((_call, step) => (step === 0 ? [{ call: "read_secret" }] : [{ text: "I tried." }])),
    );
    expect(spoken(events)).toMatch(/I tried/);
    expect(engine.records).toContainEqual(
      expect.objectContaining({
        tool: "read_secret",
        path: "subagent",
        outcome: "refused",
        code: "scope_missing",
      }),
    );
  });

  test("wait with the child while it waits for approval, and continue when it is done", async () => {
    const { session, events } = await turn(
      asking((_call, step) =>
        step === 0 ? [{ call: "send", input: { to: "bob@example.com" } }] : [{ text: "Sent it." }],
      ),
    );
    const end = last(events);
    expect(end).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "interrupt" } });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "SUBAGENT_FINISHED",
        outcome: expect.objectContaining({ type: "suspended" }),
      }),
    );
    expect(await complaintsAbout(events)).toEqual([]);
    const interrupts =
      end.type === "RUN_FINISHED" && end.outcome?.type === "interrupt" ? end.outcome.interrupts : [];
    await engine.runs.approvals.answer(interrupts[0]?.id ?? "none", { approve: true, by: USER });
    const rest = await collect(engine.runs, session, { after: events.length });
    expect(spoken(rest)).toMatch(/Clerk says: .*Sent it\./);
    expect(engine.notes).toHaveLength(1);
  });

  test("stop the child when they are stopped", async () => {
    engine.answers = asking(() => [{ text: "Wor" }, { until: new Promise(() => {}) }]);
    const session = await engine.newSession({ agentId: PARENT });
    await engine.runs.send(session, { content: "go" });
    const running =
      "select count(*)::int as n from runs where parent_run_id is not null and status = 'running'";
    const children = async () => (await engine.database.pool.query(running)).rows[0].n;
    await expect.poll(children).toBe(1);
    await engine.runs.cancel(session);
    await expect.poll(children).toBe(0);
  });

  test("report that the child failed", async () => {
    const { events } = await turn(asking(() => [{ breaks: "no provider" }]));
    expect(results(events)[0]).toMatch(/subagent_failed.*no provider/);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "SUBAGENT_ERROR", code: "subagent_failed" }),
    );
  });

  test("count the child's usage against their own limits", async () => {
    engine.answers = asking(() => [{ text: "Filed." }]);
    const session = await engine.newSession({ agentId: PARENT });
    await engine.runs.send(session, { content: "go" }, { limits: { maxTokens: 30 } });
    expect(last(await collect(engine.runs, session))).toMatchObject({
      type: "RUN_ERROR",
      code: "run_token_limit",
    });
  });

  test("cannot delegate in endless cycles", async () => {
    engine.answers = (call, step) => {
      if (step > 0) return [{ text: JSON.stringify(call.prompt.at(-1)?.content) }];
      return [{ call: "delegate_to_loop", input: { task: "go round" } }];
    };
    const session = await engine.newSession({ agentId: PARENT });
    await engine.runs.send(session, { content: "go" });
    expect(spoken(await collect(engine.runs, session))).toMatch(/subagent_depth/);
  });

  test("hand a session over: the other answers from then on, with no more rights than before", async () => {
    engine.answers = (call, step) => {
      if (!isChild(call)) return [{ call: "hand_over_to_clerk", input: { reason: "paperwork" } }];
      const asked = JSON.stringify(call.prompt.at(-1)?.content);
      if (asked.includes("secret") && step === 0) return [{ call: "read_secret" }];
      return [{ text: "This is Clerk. " }];
    };
    const session = await engine.newSession({ agentId: PARENT });
    await engine.runs.send(session, { content: "go" });
    const first = await collect(engine.runs, session);
    expect(spoken(first)).toBe("This is Clerk. ");
    expect(first).toContainEqual(expect.objectContaining({ type: "CUSTOM", name: "capstan.handed_over" }));
    await engine.runs.send(session, { content: "and the secret?" });
    const second = await collect(engine.runs, session, { after: first.length });
    expect(results(second)[0]).toMatch(/scope_missing/);
    expect(spoken(second)).toBe("This is Clerk. ");
  });
});
