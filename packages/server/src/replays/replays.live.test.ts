/** Recorded runs, run again with a change: what becomes different is found, and nothing with side effects ever runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { effects, obeyPlan, shop } from "./fixtures/shop.ts";

const PLAN = "find_order 17; refund 17 20; say Refunded.";

describe.each(STORES)("a replay on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let agentId: string;
  beforeAll(async () => {
    llm = await scriptedLlm(obeyPlan);
    server = await testServer(await fresh(), llmEnvironment(llm), { config: { capabilities: [shop] } });
    agentId = await agent();
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });
  beforeEach(() => {
    effects.length = 0;
  });

  const agent = async (more: object = {}): Promise<string> => {
    const made = await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"], ...more });
    expect(made).toMatchObject({ status: 201 });
    return made.body.id;
  };
  /** A run of this message that has ended, or waits. */
  const record = async (content = PLAN, of = agentId, session?: string) => {
    const id = session ?? (await server.call("POST", "/v1/sessions", { agent_id: of })).body.id;
    const { body } = await server.call("POST", `/v1/sessions/${id}/messages`, { content });
    const status = async () => (await server.call("GET", `/v1/runs/${body.run_id}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toMatch(/done|failed|waiting/);
    return { runId: body.run_id as string, sessionId: id as string };
  };
  const start = async (body: object) => {
    const made = await server.call("POST", "/v1/replays", body);
    expect(made).toMatchObject({ status: 202 });
    return made.body.id as string;
  };
  const report = async (id: string) => {
    const get = async () => (await server.call("GET", `/v1/replays/${id}`)).body;
    await expect.poll(async () => (await get()).status, { timeout: 20_000 }).not.toBe("running");
    return get();
  };
  /** One run, replayed with this change: its comparison. */
  const replay = async (runId: string, change: object, more: object = {}) => {
    effects.length = 0;
    const done = await report(await start({ runs: [runId], with: change, ...more }));
    expect(done.comparisons).toHaveLength(1);
    return done.comparisons[0];
  };
  const changes = (comparison: { calls: { change: string; tool: string }[] }) =>
    comparison.calls.map(({ change, tool }) => `${change} ${tool}`);

  test("of an unchanged run is the same, runs nothing and leaves no trace", async () => {
    const { runId, sessionId } = await record();
    expect(effects).toEqual(["find_order 17", "refund 17"]);
    const everything = async () => ({
      sessions: (await server.call("GET", "/v1/sessions")).body,
      runs: (await server.call("GET", `/v1/sessions/${sessionId}/runs`)).body,
      messages: (await server.call("GET", `/v1/sessions/${sessionId}/messages`)).body,
      approvals: (await server.call("GET", "/v1/approvals")).body,
      usage: (await server.call("GET", "/v1/usage")).body.totals,
      labels: (await server.call("GET", `/v1/sessions/${sessionId}`)).body,
    });
    const before = await everything();
    const same = await replay(runId, {});
    expect(same).toMatchObject({ run_id: runId, verdict: "same", gate: [], failure: null });
    expect(changes(same)).toEqual(["same find_order", "same refund"]);
    expect(same.calls.map(({ source }: { source: string }) => source)).toEqual(["exact", "exact"]);
    expect(same.answer).toMatchObject({ before: "Refunded.", after: "Refunded.", same: true, lines: [] });
    expect(effects).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  test.each<[string, string, string[]]>([
    ["a missing call", "skip:refund", ["same find_order", "missing refund"]],
    ["other arguments", "as:find_order 17 5", ["other_arguments find_order", "same refund"]],
    ["another order", "reverse", ["same refund", "other_order find_order"]],
    ["another answer", "say:I will not.", ["same find_order", "same refund"]],
  ])("with another prompt finds %s", async (_what, system_prompt, expected) => {
    const { runId } = await record();
    const compared = await replay(runId, { system_prompt });
    expect(changes(compared)).toEqual(expected);
    expect(compared.verdict).toBe("changed");
    expect(effects).toEqual([]);
  });

  test("ends at a new call with side effects, and never makes it", async () => {
    const { runId } = await record("find_order 17; say Found.");
    const prompt = { system_prompt: "first:ship 17" };
    for (const live_reads of [false, true]) {
      const compared = await replay(runId, prompt, { live_reads });
      expect(compared).toMatchObject({
        verdict: "diverged",
        diverged: { turn: 0, tool: "ship", input: { id: "17" } },
      });
      expect(compared.diverged.why).toContain("may change something");
      expect(changes(compared)).toEqual(["not_reached find_order", "new ship"]);
    }
    expect(effects).toEqual([]);
  });

  test("asks a reading tool only when it may, and a stand-in where one is declared", async () => {
    const { runId } = await record("find_order 17; say Found.");
    const prompt = { system_prompt: "first:stock 3" };
    expect((await replay(runId, prompt)).verdict).toBe("diverged");
    expect(effects).toEqual([]);
    const live = await replay(runId, prompt, { live_reads: true });
    expect(live.calls[0]).toMatchObject({ change: "new", tool: "stock", source: "live" });
    expect(effects).toEqual(["stock 3"]);
    const stand_ins = [{ tool: "ship", output: "shipped" }];
    const shipped = await replay(runId, { system_prompt: "first:ship 17" }, { stand_ins });
    expect(shipped.calls[0]).toMatchObject({ change: "new", tool: "ship", source: "stand_in" });
    expect(effects).toEqual([]);
  });

  test("with rules on trial says what they would deny, ask and allow, and changes no rule", async () => {
    const { runId } = await record();
    const trial = (then: string) => ({ rules: [{ name: "trial", tools: ["refund"], then }] });
    const denied = await replay(runId, trial("deny"));
    expect(denied.gate).toMatchObject([{ tool: "refund", before: "allowed", after: "denied" }]);
    expect(denied.verdict).toBe("changed");
    const asked = await replay(runId, trial("ask"));
    expect(asked.gate).toMatchObject([{ tool: "refund", before: "allowed", after: "asked" }]);
    expect(changes(asked)).toEqual(["same find_order", "same refund"]);
    expect((await replay(runId, trial("allow"))).verdict).toBe("same");
    expect((await server.call("GET", "/v1/rules")).body.total).toBe(0);
    expect(effects).toEqual([]);
  });

  test("of a call that a person approved is the same, and reports when approval is no longer required", async () => {
    const { runId, sessionId } = await record("close_account 5; say Closed.");
    const { body } = await server.call("GET", `/v1/approvals?status=pending&session_id=${sessionId}`);
    await server.call("POST", `/v1/approvals/${body.items[0].id}`, { decision: "approve" });
    const status = async () => (await server.call("GET", `/v1/runs/${runId}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("done");
    expect((await replay(runId, {})).verdict).toBe("same");
    const rules = [{ name: "trust", tools: ["close_account"], then: "allow" }];
    const allowed = await replay(runId, { rules });
    expect(allowed.gate).toMatchObject([{ tool: "close_account", before: "asked", after: "allowed" }]);
    expect(effects).toEqual([]);
  });

  test("with the recorded answers costs nothing and ends where a result differs", async () => {
    const { runId } = await record();
    llm.requests.length = 0;
    expect((await replay(runId, { model: "recorded" })).verdict).toBe("same");
    const rules = [{ name: "never", tools: ["refund"], then: "deny" }];
    const denied = await replay(runId, { model: "recorded", rules });
    expect(denied).toMatchObject({ verdict: "diverged", gate: [{ tool: "refund", after: "denied" }] });
    expect(llm.requests).toEqual([]);
  });

  test("with another model or revision compares answer, tokens and calls", async () => {
    const { runId } = await record();
    const larger = await replay(runId, { model: "openai-compatible/scripted-large" });
    expect(larger.answer).toMatchObject({ same: false, after: "Refunded. (at length)" });
    expect(larger.tokens.after).toBeGreaterThan(larger.tokens.before);
    const id = await agent();
    const own = await record(PLAN, id);
    await server.call("PATCH", `/v1/agents/${id}`, { system_prompt: "skip:refund", save_as: "draft" });
    expect((await replay(own.runId, {})).verdict).toBe("same");
    expect(changes(await replay(own.runId, { revision: 2 }))).toContain("missing refund");
    expect(changes(await replay(own.runId, { revision: "draft" }))).toContain("missing refund");
    expect((await replay(own.runId, { revision: "live" })).verdict).toBe("same");
    const others = await server.call("POST", "/v1/replays", {
      runs: [runId, own.runId],
      with: { revision: "live" },
    });
    expect(others).toMatchObject({ status: 422, body: { code: "input_invalid" } });
    expect(others.body.message).toContain('"live" is a label of one agent, but the runs are of 2');
    const unlabelled = await server.call("POST", "/v1/replays", {
      runs: [own.runId],
      with: { revision: "canary" },
    });
    expect(unlabelled).toMatchObject({ status: 422, body: { code: "not_found" } });
    const gone = await replay(own.runId, { revision: 9 });
    expect(gone).toMatchObject({ status: "failed", verdict: null, failure: { code: "not_found" } });
  });

  test("of a later message starts from the conversation as it was", async () => {
    const { sessionId } = await record("find_order 1; say One.");
    const second = await record("find_order 2; say Two.", agentId, sessionId);
    const done = await report(await start({ sessions: [sessionId], with: {} }));
    expect(done.verdicts).toEqual({ same: 2, changed: 0, diverged: 0 });
    const side = (await server.call("GET", `/v1/replays/${done.id}/runs/${second.runId}`)).body;
    expect(side.before.map(({ role }: { role: string }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(side.after.map(({ role }: { role: string }) => role)).toEqual(["assistant", "tool", "assistant"]);
  });

  test("by a query takes the runs that match, and says so when none does", async () => {
    const id = await agent();
    const first = await record("find_order 1; say One.", id);
    const second = await record("refund 2; say Two.", id);
    const { body } = await server.call("GET", `/v1/sessions/${second.sessionId}/messages`);
    const answer = body.items.at(-1).id;
    await server.call("POST", `/v1/sessions/${second.sessionId}/messages/${answer}/feedback`, {
      value: "down",
    });
    const found = async (query: object) => {
      const done = await report(await start({ query: { agent_id: id, ...query }, with: {} }));
      return done.comparisons.map(({ run_id }: { run_id: string }) => run_id);
    };
    expect(await found({})).toEqual([first.runId, second.runId]);
    expect(await found({ tool: "refund" })).toEqual([second.runId]);
    expect(await found({ limit: 1 })).toEqual([second.runId]);
    expect(await found({ feedback: "down" })).toEqual([second.runId]);
    const none = await server.call("POST", "/v1/replays", {
      query: { agent_id: id, tool: "none" },
      with: {},
    });
    expect(none).toMatchObject({ status: 422, body: { code: "replay_empty" } });
  });

  test("stops when it is cancelled, and is deleted with what it compared", async () => {
    const { runId } = await record();
    const id = await start({ runs: [runId], with: {} });
    await report(id);
    expect((await server.call("GET", "/v1/replays")).body.items[0].id).toBe(id);
    expect((await server.call("DELETE", `/v1/replays/${id}`)).status).toBe(204);
    expect((await server.call("GET", `/v1/replays/${id}`)).status).toBe(404);
    let proceed = () => {};
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    llm.script = () => ({ text: ["late", "r"], until: held });
    const slow = await start({ runs: [runId], with: {} });
    const cancelled = await server.call("POST", `/v1/replays/${slow}/cancel`);
    proceed();
    llm.script = obeyPlan;
    expect(cancelled.body).toMatchObject({ status: "cancelled", progress: { total: 1, cancelled: 1 } });
  });

  test.each<[string, object]>([
    ["nothing to replay", { with: {} }],
    ["two selections", { runs: ["00000000-0000-7000-8000-000000000000"], query: {}, with: {} }],
    ["an unknown field", { query: {}, with: { temperature: 1 } }],
  ])("refuses %s", async (_what, body) => {
    expect((await server.call("POST", "/v1/replays", body)).status).toBe(422);
  });

  test("belongs to its owner alone: the replay and the runs", async () => {
    const { runId } = await record();
    const id = await start({ runs: [runId], with: {} });
    const key = { name: "k", owner: "eve@example.com", rights: ["author"] };
    const { body } = await server.call("POST", "/v1/keys", key);
    const eve = { authorization: `Bearer ${body.key}` };
    expect((await server.call("GET", `/v1/replays/${id}`, undefined, eve)).status).toBe(404);
    expect((await server.call("GET", `/v1/replays/${id}/runs/${runId}`, undefined, eve)).status).toBe(404);
    expect((await server.call("GET", "/v1/replays", undefined, eve)).body.items).toEqual([]);
    expect((await server.call("POST", "/v1/replays", { runs: [runId], with: {} }, eve)).status).toBe(422);
    expect((await server.call("POST", "/v1/replays", { query: {}, with: {} }, eve)).status).toBe(422);
    const live = { query: {}, live_reads: true, with: { capabilities: ["shop"] } };
    expect((await server.call("POST", "/v1/replays", live, eve)).status).toBe(403);
    await report(id);
  });
});
