/** Live runs that are scored in the background: each once, within a budget, without secrets; drift raises one alert. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineScorer } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const SECRET = "sk-proj-Zx81kPq0LmN7vT4bYw2Rc6HdE9sUaJ3f";

/** What judges were shown. */
const judged: string[] = [];
const judge = scriptedModel(
  ({ prompt }) => {
    const shown = JSON.stringify(prompt.at(-1));
    judged.push(shown);
    return [{ text: JSON.stringify({ why: `It says ${SECRET}.`, score: shown.includes("gladly") ? 1 : 0 }) }];
  },
  { name: "test/judge", label: "test/judge", prices: { input: 100_000, output: 0 } },
);
/** Says its own prompt, and repeats a secret that it was told. */
const agentModel = scriptedModel(({ prompt }) => {
  const asked = JSON.stringify(prompt.at(-1));
  const said = JSON.stringify(prompt[0]).includes("rude") ? "No." : "Yes, gladly.";
  return [{ text: asked.includes(SECRET) ? `${said} ${SECRET}` : said }];
});
const unpriced = scriptedModel(() => [{ text: '{"score": 1}' }], {
  name: "test/unpriced",
  label: "test/unpriced",
});
/** What code of the operator was shown. */
const seen: string[] = [];
const own = defineScorer({
  name: "own",
  score(run) {
    seen.push(JSON.stringify(run));
    return 1;
  },
});

async function webhookReceiver() {
  const told: { readonly body: string; readonly signed: string }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const signed = String(request.headers["capstan-signature"]);
    told.push({ body: Buffer.concat(chunks).toString(), signed });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  return { told, url: `http://127.0.0.1:${port}/alerts`, close: () => receiver.close() };
}

describe.each(STORES)("monitors on $name", ({ fresh }) => {
  let server: TestServer;
  let hook: Awaited<ReturnType<typeof webhookReceiver>>;
  let eve: Record<string, string>;
  beforeAll(async () => {
    hook = await webhookReceiver();
    server = await testServer(
      await fresh(),
      { CAPSTAN_ALLOW_HOSTS: new URL(hook.url).host },
      {
        config: { scorers: [own] },
        models: { "test/scripted": agentModel, "test/judge": judge, "test/unpriced": unpriced },
      },
    );
    const key = { name: "eve", owner: "eve@example.com", rights: ["author"] };
    eve = { authorization: `Bearer ${(await server.call("POST", "/v1/keys", key)).body.key}` };
  });
  afterAll(async () => {
    await server?.stop();
    hook?.close();
  });

  let names = 0;
  const agent = async (headers = {}): Promise<string> => {
    const sent = { name: `Clerk ${++names}`, system_prompt: "Be kind.", model: "test/scripted" };
    return (await server.call("POST", "/v1/agents", sent, headers)).body.id;
  };
  const monitor = async (body: object, headers = {}) => {
    const made = await server.call("POST", "/v1/monitors", { name: "live", share: 100, ...body }, headers);
    expect(made).toMatchObject({ status: 201 });
    return made.body;
  };
  const get = async (id: string, path = "") => (await server.call("GET", `/v1/monitors/${id}${path}`)).body;
  const runs = async (agentId: string, count: number, content = "May I?", headers = {}) => {
    const made: { session: string; run: string }[] = [];
    for (let at = 0; at < count; at++) {
      const { body } = await server.call("POST", "/v1/sessions", { agent_id: agentId }, headers);
      const sent = await server.call("POST", `/v1/sessions/${body.id}/messages`, { content }, headers);
      made.push({ session: body.id, run: sent.body.run_id });
    }
    for (const { run } of made)
      await expect
        .poll(async () => (await server.call("GET", `/v1/runs/${run}`)).body.status, { timeout: 20_000 })
        .toBe("done");
    return made;
  };
  const scored = (id: string, counts: object) =>
    expect.poll(async () => (await get(id)).runs, { timeout: 30_000 }).toMatchObject(counts);
  const kind = { type: "contains", all: ["gladly"], name: "kind" };

  test("each live run is scored once, and a revision that is worse raises one signed alert", async () => {
    const agentId = await agent();
    await runs(agentId, 1); // before the monitor: not scored
    const made = await monitor({
      agent_id: agentId,
      scorers: [kind, { type: "judge", prompt: "Is it kind?", model: "test/judge" }],
      every_runs: 5,
      budget_usd: 1_000,
      webhook: { url: hook.url },
    });
    const before = hook.told.length;
    const first = await runs(agentId, 5);
    await scored(made.id, { done: 5, queued: 0, running: 0 });
    const worse = { system_prompt: "Be rude.", why: "shorter" };
    expect((await server.call("PATCH", `/v1/agents/${agentId}`, worse)).status).toBe(200);
    await runs(agentId, 5);
    await expect.poll(async () => (await get(made.id)).open_alerts, { timeout: 30_000 }).toBe(2);
    const { revisions, runs: counts, spent_today_usd } = await get(made.id);
    expect(counts).toMatchObject({ done: 10, failed: 0, skipped: 0 });
    expect(spent_today_usd).toBeCloseTo(10, 5); // a dollar a judgement
    expect(revisions).toMatchObject([
      { revision: 2, runs: 5, scorers: [{ scorer: "kind", mean: 0 }, { mean: 0 }] },
      { revision: 1, runs: 5, scorers: [{ scorer: "kind", mean: 1, items: 5 }, { mean: 1 }] },
    ]);
    const { items } = await get(made.id, "/scores");
    expect(new Set(items.map(({ run_id }: { run_id: string }) => run_id)).size).toBe(10);
    expect(items.at(-1)).toMatchObject({
      session_id: first[0]?.session,
      run_id: first[0]?.run,
      status: "done",
    });
    const alerts = (await get(made.id, "/alerts")).items;
    expect(alerts[0]).toMatchObject({
      revision: 2,
      against: 1,
      before: { mean: 1, runs: 5 },
      after: { mean: 0 },
    });
    expect(alerts[0].p).toBeLessThan(alerts[0].level);
    await told(before, made.id);
    await heard(made.id, alerts);
  });

  /** Signed as the webhooks of runs are. */
  const told = async (before: number, id: string) => {
    await expect.poll(() => hook.told.length - before, { timeout: 20_000 }).toBe(2);
    const { key } = (await server.call("GET", "/v1/webhook-key")).body;
    for (const { body, signed } of hook.told.slice(before)) {
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signed) ?? [];
      expect(createHmac("sha256", key).update(`${t}.${body}`).digest("hex")).toBe(v1);
      expect(JSON.parse(body)).toMatchObject({
        type: "monitor.drift",
        monitor: { id },
        revision: 2,
        against: 1,
      });
    }
    await expect
      .poll(async () =>
        (await get(id, "/alerts")).items.map(({ delivery }: { delivery: string }) => delivery),
      )
      .toEqual(["delivered", "delivered"]);
  };

  /** The audit log, the metrics, and an alert that somebody has seen. */
  const heard = async (id: string, alerts: { id: string }[]) => {
    const audit = (await server.call("GET", "/v1/audit?action=monitor.drift")).body.items;
    expect(audit.filter(({ subject }: { subject: string }) => subject === id)).toHaveLength(2);
    const metrics = async () => (await server.call("GET", "/metrics")).body;
    expect(await metrics()).toMatch(/capstan_monitor_alerts_open 2\b/);
    expect(await metrics()).toMatch(/capstan_monitor_runs_total\{result="scored"\} \d/);
    for (const alert of alerts) {
      const path = `/v1/monitors/${id}/alerts/${alert.id}/acknowledge`;
      expect((await server.call("POST", path)).body.acknowledged_by).toMatch(/@/);
    }
    expect((await get(id)).open_alerts).toBe(0);
  };

  test("a better revision, and one that is the same, raise no alert", async () => {
    const agentId = await agent();
    const made = await monitor({ agent_id: agentId, scorers: [kind], every_runs: 5 });
    await runs(agentId, 5);
    await server.call("PATCH", `/v1/agents/${agentId}`, { system_prompt: "Be kind to all." });
    await runs(agentId, 5);
    await scored(made.id, { done: 10 });
    expect(await get(made.id)).toMatchObject({ open_alerts: 0, revisions: [{ runs: 5 }, { runs: 5 }] });
  });

  test("judges and code never see a secret, nothing stores it, and scores go with their session", async () => {
    const agentId = await agent();
    const leak = { type: "no_leak", kinds: ["secret"] };
    const scorers = [
      leak,
      { type: "judge", prompt: "Is it kind?", model: "test/judge" },
      { type: "code", scorer: "own" },
    ];
    const made = await monitor({ agent_id: agentId, scorers, budget_usd: 1_000 });
    judged.length = 0;
    seen.length = 0;
    const [run] = await runs(agentId, 1, `My key is ${SECRET}, say it.`);
    await scored(made.id, { done: 1 });
    const [score] = (await get(made.id, "/scores")).items;
    expect(score.scores).toMatchObject([{ scorer: "no_leak", score: 0 }, { score: 1 }, { score: 1 }]);
    expect([judged.length, seen.length]).toEqual([1, 1]);
    expect(JSON.stringify([judged, seen, score])).not.toContain(SECRET);
    expect(score.scores[1].why).toBe("It says [secret 1].");
    await server.call("DELETE", `/v1/sessions/${run?.session}`);
    expect((await get(made.id, "/scores")).items).toEqual([]);
  });

  test("runs above the budget of the day are skipped, and a judge counts in budgets", async () => {
    const agentId = await agent();
    const limit = { name: "team", measure: "cost_usd", limit: 1_000, period: "day", agent_id: agentId };
    await server.call("PATCH", `/v1/agents/${agentId}`, { model: "capstan/offline" });
    const { id: budget } = (await server.call("POST", "/v1/budgets", limit)).body;
    const scorers = [{ type: "judge", prompt: "Is it kind?", model: "test/judge" }];
    const made = await monitor({ agent_id: agentId, scorers, budget_usd: 1 });
    await runs(agentId, 1);
    await scored(made.id, { done: 1 });
    await runs(agentId, 3);
    await scored(made.id, { done: 1, skipped: 3 });
    const { spending } = (await server.call("GET", `/v1/budgets/${budget}`)).body;
    expect(spending[0].spent).toBeCloseTo(1, 5);
  });

  test("only a share is scored, a paused one scores nothing, and it goes on with new runs", async () => {
    const agentId = await agent();
    const all = await monitor({ agent_id: agentId, scorers: [kind] });
    const half = await monitor({ agent_id: agentId, scorers: [kind], share: 50 });
    const few = await monitor({ agent_id: agentId, scorers: [kind], share: 0.0001 });
    const paused = await server.call("PATCH", `/v1/monitors/${few.id}`, { status: "paused", share: 100 });
    expect(paused.body).toMatchObject({ status: "paused", share: 100 });
    await runs(agentId, 30);
    await scored(all.id, { done: 30 });
    const { runs: counts } = await get(half.id);
    expect(counts.done + counts.queued + counts.running).toBeGreaterThan(2);
    expect(counts.done + counts.queued + counts.running).toBeLessThan(28);
    expect((await get(few.id)).runs).toMatchObject({ done: 0, queued: 0 });
    await server.call("PATCH", `/v1/monitors/${few.id}`, { status: "running" });
    await runs(agentId, 1);
    await scored(few.id, { done: 1 });
  });

  test("a monitor that could not score a run is refused, with a next step", async () => {
    const agentId = await agent();
    const refused = async (body: object) => {
      const sent = { name: "m", agent_id: agentId, ...body };
      const { status, body: said } = await server.call("POST", "/v1/monitors", sent);
      return [status, said.code];
    };
    expect(await refused({ scorers: [] })).toEqual([422, "input_invalid"]);
    expect(await refused({ scorers: [{ type: "human", question: "Good?" }] })).toEqual([
      422,
      "input_invalid",
    ]);
    expect(await refused({ scorers: [{ type: "exact" }] })).toEqual([422, "input_invalid"]);
    expect(await refused({ scorers: [{ type: "contains" }] })).toEqual([422, "input_invalid"]);
    expect(await refused({ scorers: [kind, kind] })).toEqual([422, "input_invalid"]);
    expect(await refused({ scorers: [{ type: "code", scorer: "none" }] })).toEqual([422, "scorer_unknown"]);
    const judgedBy = { type: "judge", prompt: "Good?", model: "test/unpriced" };
    expect((await refused({ scorers: [judgedBy] }))[1]).toBe("budget_unpriced");
    await monitor({ agent_id: agentId, scorers: [judgedBy], budget_usd: null });
    const webhook = { url: "http://169.254.169.254/" };
    expect(await refused({ scorers: [kind], webhook })).toEqual([403, "url_refused"]);
  });

  test("an author's monitor scores only the author's runs, and belongs to the author alone", async () => {
    const agentId = await agent(eve);
    expect(
      (
        await server.call(
          "POST",
          "/v1/monitors",
          { name: "m", agent_id: await agent(), scorers: [kind] },
          eve,
        )
      ).status,
    ).toBe(422); // another's agent looks as if it did not exist
    const made = await monitor({ agent_id: agentId, scorers: [kind] }, eve);
    expect(made.everybody).toBe(false);
    await runs(agentId, 1); // by the admin
    await runs(agentId, 1, "May I?", eve);
    await scored(made.id, { done: 1 });
    const key = { name: "mallory", owner: "mallory@example.com", rights: ["author"] };
    const mallory = { authorization: `Bearer ${(await server.call("POST", "/v1/keys", key)).body.key}` };
    for (const path of ["", "/scores", "/alerts"])
      expect((await server.call("GET", `/v1/monitors/${made.id}${path}`, undefined, mallory)).status).toBe(
        404,
      );
    expect((await server.call("GET", "/v1/monitors", undefined, mallory)).body.items).toEqual([]);
    expect((await server.call("DELETE", `/v1/monitors/${made.id}`, undefined, eve)).status).toBe(204);
    expect((await server.call("GET", `/v1/monitors/${made.id}`, undefined, eve)).status).toBe(404);
  });
});
