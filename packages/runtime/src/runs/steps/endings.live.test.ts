import { createHmac } from "node:crypto";
import { ok } from "@capstan/core";
import { textOf } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import {
  AGENT_ID,
  collect,
  last,
  onScreen,
  results,
  spoken,
  USER,
} from "../../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../../tools/legal-events.ts";
import { onlyModel, scriptedModel } from "../../../../../tools/scripted-model.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";

const LIMITED = {
  steps: "00000000-0000-7000-8000-000000000011",
  seconds: "00000000-0000-7000-8000-000000000012",
  tokens: "00000000-0000-7000-8000-000000000013",
  cost: "00000000-0000-7000-8000-000000000014",
};

describe.each(STORES)("the end of a run on $name", ({ fresh }) => {
  const calls: { url: string; headers: Record<string, string>; body: string }[] = [];
  let webhookStatus = 200;
  const engine = useEngine(fresh, {
    agents: [
      { id: LIMITED.steps, limits: { maxSteps: 3 } },
      { id: LIMITED.seconds, limits: { maxSeconds: 0.2 } },
      { id: LIMITED.tokens, limits: { maxTokens: 40 } },
      { id: LIMITED.cost, limits: { maxCostUsd: 0.0001 } },
    ],
    parts: {
      models: onlyModel(
        scriptedModel((call, step) => engine.answers(call, step), { prices: { input: 2, output: 10 } }),
      ),
      webhooks: {
        secret: "webhook-secret",
        check: async (url) => ok(url),
        fetch: async (url, { headers, body }) => {
          calls.push({ url, headers, body });
          return ok(new Response(null, { status: webhookStatus }));
        },
      },
    },
  });

  test.each([
    [LIMITED.steps, "run_step_limit", 3],
    [LIMITED.tokens, "run_token_limit", 3],
    [LIMITED.cost, "run_cost_limit", 2],
  ])("comes at a limit, with a clear outcome (%s)", async (agentId, code, steps) => {
    engine.answers = () => [{ text: "More. " }, { call: "add", input: { a: 1, b: 1 } }];
    const session = await engine.newSession({ agentId });
    const sent = await engine.runs.send(session, { content: "never stop" });
    const events = await collect(engine.runs, session);
    expect(last(events)).toMatchObject({
      type: "RUN_ERROR",
      code,
      message: expect.stringMatching(/limits\.max_/),
    });
    expect(events.filter(({ type }) => type === "STEP_STARTED")).toHaveLength(steps);
    expect(await complaintsAbout(events)).toEqual([]);
    expect(await engine.runs.run(sent.ok ? sent.value.runId : "")).toMatchObject({
      value: { status: "failed", outcome: { type: "failed", failure: { code } }, usage: { steps } },
    });
  });

  test("comes at the time limit, even within a sentence, and the text so far stays", async () => {
    engine.answers = () => [{ text: "I was about to" }, { until: new Promise(() => {}) }];
    const session = await engine.newSession({ agentId: LIMITED.seconds });
    await engine.runs.send(session, { content: "think forever" });
    const events = await collect(engine.runs, session);
    expect(last(events)).toMatchObject({ type: "RUN_ERROR", code: "run_time_limit" });
    expect(await complaintsAbout(events)).toEqual([]);
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items[1]).toMatchObject({
      content: [{ type: "text", text: "I was about to", interrupted: true }],
    });
  });

  test("comes at the time limit inside a tool", async () => {
    engine.answers = (_call, step) => (step === 0 ? [{ call: "slow" }] : [{ text: "never" }]);
    const session = await engine.newSession({ agentId: LIMITED.seconds });
    await engine.runs.send(session, { content: "wait" });
    expect(last(await collect(engine.runs, session))).toMatchObject({ code: "run_time_limit" });
  });

  test("comes immediately when a person cancels, and the partial answer stays", async () => {
    engine.answers = () => [{ text: "Once upon a time" }, { until: new Promise(() => {}) }];
    const session = await engine.newSession();
    const sent = await engine.runs.send(session, { content: "tell" });
    await collect(engine.runs, session, { enough: ({ type }) => type === "TEXT_MESSAGE_CONTENT" });
    const cancelled = await engine.runs.cancel(session, { by: USER });
    expect(cancelled).toMatchObject({ ok: true, value: { runId: sent.ok && sent.value.runId } });
    const events = await collect(engine.runs, session);
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
    expect(await complaintsAbout(events)).toEqual([]);
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items[1]).toMatchObject({ role: "assistant", content: [{ interrupted: true }] });
    expect(await engine.runs.cancel(session)).toMatchObject({ failure: { code: "run_not_active" } });
  });

  test("by a cancel stops a running tool, which is not run again in the next turn", async () => {
    engine.answers = ({ prompt }) =>
      JSON.stringify(prompt.at(-1)).includes("next") ? [{ text: "Next." }] : [{ call: "slow" }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "wait" });
    await collect(engine.runs, session, { enough: ({ type }) => type === "TOOL_CALL_END" });
    await engine.runs.cancel(session);
    await engine.runs.send(session, { content: "next" });
    const events = await collect(engine.runs, session, { runs: 2 });
    expect(spoken(events)).toBe("Next.");
    expect(results(events)).toEqual([]);
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("by a cancel lets the queued message start", async () => {
    engine.answers = ({ prompt }) =>
      JSON.stringify(prompt.at(-1)).includes("next")
        ? [{ text: "Next." }]
        : [{ until: new Promise(() => {}) }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "wait" });
    await engine.runs.send(session, { content: "next" });
    await engine.runs.cancel(session);
    expect(spoken(await collect(engine.runs, session, { runs: 2 }))).toBe("Next.");
  });

  test("is not caused by a stream that breaks twice: the third answer counts, and only that is shown", async () => {
    let tries = 0;
    engine.answers = () =>
      ++tries < 3 ? [{ text: "Half an ans" }, { breaks: "connection lost" }] : [{ text: "A whole answer." }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "go" });
    const events = await collect(engine.runs, session);
    expect(onScreen(events)).toEqual(["A whole answer."]);
    expect(await complaintsAbout(events)).toEqual([]);
    expect((await engine.runs.messages(session, { limit: 10 })).items.map(textOf)).toEqual([
      "go",
      "A whole answer.",
    ]);
  });

  test("comes after the last retry, with a next step", async () => {
    engine.answers = () => [{ breaks: "connection lost" }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "go" });
    expect(last(await collect(engine.runs, session))).toMatchObject({
      type: "RUN_ERROR",
      code: "provider_unavailable",
      message: expect.stringMatching(/3 attempts: connection lost.*choose another model/),
    });
  });

  test("contains output that matches the schema, after one repair", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    let asked = "";
    engine.answers = ({ prompt }) => {
      asked = JSON.stringify(prompt.at(-1));
      return asked.includes("does not match")
        ? [{ text: '```json\n{"n": 42}\n```' }]
        : [{ text: '{"n": "many"}' }];
    };
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "how many?" }, { outputSchema });
    const events = await collect(engine.runs, session);
    expect(asked).toMatch(/n.*integer/);
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", result: { n: 42 } });
    engine.answers = () => [{ text: "I would rather talk." }];
    await engine.runs.send(session, { content: "again" }, { outputSchema });
    const again = await collect(engine.runs, session, { after: events.length });
    expect(last(again)).toMatchObject({ type: "RUN_ERROR", code: "output_not_valid" });
    expect(again.filter(({ type }) => type === "STEP_STARTED")).toHaveLength(2);
  });

  test("is sent to a webhook, signed, and retried until it is accepted", async () => {
    webhookStatus = 503;
    engine.answers = () => [{ text: "Told." }];
    const session = await engine.newSession();
    const sent = await engine.runs.send(
      session,
      { content: "go" },
      { webhookUrl: "https://example.com/hook" },
    );
    await collect(engine.runs, session);
    await expect.poll(() => calls.length).toBe(1);
    webhookStatus = 200;
    const due = "update webhook_deliveries set next_at = now() where run_id = $1";
    await expect
      .poll(
        async () => {
          await engine.database.pool.query(due, [sent.ok && sent.value.runId]);
          return calls.length;
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(2);
    const [, { headers, body } = { headers: {} as Record<string, string>, body: "" }] = calls;
    const [, time, digest] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(headers["capstan-signature"] ?? "") ?? [];
    expect(digest).toBe(createHmac("sha256", "webhook-secret").update(`${time}.${body}`).digest("hex"));
    expect(JSON.parse(body)).toMatchObject({
      event: "run.ended",
      run_id: sent.ok && sent.value.runId,
      session_id: session,
      agent_id: AGENT_ID,
      status: "done",
      text: "Told.",
      usage: { steps: 1, tokens: [{ totalTokens: 15 }] },
    });
    const delivered = "select status, attempts from webhook_deliveries where run_id = $1";
    await expect
      .poll(async () => (await engine.database.pool.query(delivered, [sent.ok && sent.value.runId])).rows)
      .toEqual([{ status: "delivered", attempts: 2 }]);
  });

  test("records its cost: tokens and dollars of every step", async () => {
    engine.answers = (_call, step) =>
      step === 0 ? [{ call: "add", input: { a: 1, b: 1 } }] : [{ text: "2" }];
    const session = await engine.newSession();
    const sent = await engine.runs.send(session, { content: "add" });
    await collect(engine.runs, session);
    const run = await engine.runs.run(sent.ok ? sent.value.runId : "");
    expect(run).toMatchObject({
      value: { status: "done", usage: { steps: 2, tokens: [{ totalTokens: 30 }] } },
    });
    expect(run.ok && run.value.usage?.costUsd).toBeCloseTo((20 * 2 + 10 * 10) / 1_000_000, 10);
  });
});

describe.each(STORES)("a session on $name", ({ fresh }) => {
  const copied: [string, string][] = [];
  const engine = useEngine(fresh, {
    parts: { copyFiles: async (from, to) => void copied.push([from, to]) },
  });

  async function talked(...contents: string[]): Promise<string> {
    engine.answers = ({ prompt }) => [{ text: `re ${prompt.filter(({ role }) => role === "user").length}` }];
    const session = await engine.newSession();
    for (const [turn, content] of contents.entries()) {
      await engine.runs.send(session, { content });
      await collect(engine.runs, session, { runs: turn + 1 });
    }
    return session;
  }

  test("can be forked at a message, with its files, and both continue independently", async () => {
    const session = await talked("one", "two");
    const { items } = await engine.runs.messages(session, { limit: 10 });
    const fork = await engine.runs.fork(session, { after: items[1]?.id ?? "" });
    if (!fork.ok) throw new Error(fork.failure.message);
    expect(fork.value.messages).toBe(2);
    expect(copied).toEqual([[session, fork.value.sessionId]]);
    await engine.runs.send(fork.value.sessionId, { content: "other" });
    await collect(engine.runs, fork.value.sessionId);
    const texts = async (id: string) => (await engine.runs.messages(id, { limit: 10 })).items.map(textOf);
    expect(await texts(fork.value.sessionId)).toEqual(["one", "re 1", "other", "re 2"]);
    expect(await texts(session)).toEqual(["one", "re 1", "two", "re 2"]);
    expect(await engine.runs.fork(session, { after: "no-such-message" })).toMatchObject({
      failure: { code: "not_found" },
    });
  });

  test("is exported line by line: messages, runs and every event with its number", async () => {
    const session = await talked("one");
    const lines: { type: string; seq?: number }[] = [];
    for await (const text of engine.runs.exportLines(session)) {
      lines.push(
        ...text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
    }
    expect([...new Set(lines.map(({ type }) => type))]).toEqual(["session", "message", "run", "event"]);
    const numbers = lines.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  });

  test("tells the model in the next turn, once, about feedback on its answer", async () => {
    const session = await talked("one");
    const { items } = await engine.runs.messages(session, { limit: 10 });
    const entry = { messageId: items[1]?.id ?? "", by: USER, value: "down", words: "too short" };
    expect(await engine.runs.feedback(session, entry)).toMatchObject({ ok: true });
    expect(await engine.runs.feedback(session, { ...entry, messageId: "nope" })).toMatchObject({ ok: false });
    const prompts: string[] = [];
    engine.answers = ({ prompt }) => {
      prompts.push(JSON.stringify(prompt.at(-1)));
      return [{ text: "Noted." }];
    };
    for (const [turn, content] of ["two", "three"].entries()) {
      await engine.runs.send(session, { content });
      await collect(engine.runs, session, { runs: turn + 2 });
    }
    expect(prompts[0]).toMatch(/feedback on an earlier answer of yours: down, .*too short/);
    expect(prompts[1]).not.toMatch(/feedback/);
    const shown = await engine.runs.messages(session, { limit: 10 });
    expect(shown.items.map(textOf)).toEqual(["one", "re 1", "two", "Noted.", "three", "Noted."]);
    expect(shown.items[1]?.feedback).toEqual({ value: "down", words: "too short" });
  });

  test("is read in pages", async () => {
    const session = await talked("one", "two", "three");
    const first = await engine.runs.messages(session, { limit: 4 });
    const rest = await engine.runs.messages(session, { limit: 4, after: first.nextAfter });
    expect([...first.items, ...rest.items].map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(rest.nextAfter).toBeUndefined();
  });

  test("leaves nothing behind when deleted", async () => {
    const session = await talked("one");
    await engine.runs.forget(session);
    expect((await engine.runs.messages(session, { limit: 10 })).items).toEqual([]);
    expect(await engine.runs.lastSeq(session)).toBe(0);
  });
});
