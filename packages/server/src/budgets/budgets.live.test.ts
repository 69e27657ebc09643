/** Budgets on a real server: reserved before the model is asked, settled after; at the limit a run waits for an admin. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const PRICES = { input: 100_000, output: 200_000 }; // US dollars a million: an answer of 10 and 5 tokens costs two

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

describe.each(STORES)("budgets on $name", ({ fresh }) => {
  let server: TestServer;
  let agent: string;
  let unpriced: string;
  let hook: Awaited<ReturnType<typeof webhookReceiver>>;
  let held = Promise.withResolvers<void>();
  beforeAll(async () => {
    const says = { models: {} as Record<string, ReturnType<typeof scriptedModel>> };
    const script: Parameters<typeof scriptedModel>[0] = (call, step) => {
      const asked = JSON.stringify(call.prompt.at(-1));
      if (asked.includes("hold")) return [{ until: held.promise }, { text: "Done." }];
      return asked.includes("add") && step === 0
        ? [{ call: "add", input: { a: 3, b: 4 } }]
        : [{ text: "Done." }];
    };
    says.models["test/scripted"] = scriptedModel(script, { prices: PRICES, maxOutputTokens: 5 });
    says.models["test/unpriced"] = scriptedModel(script);
    hook = await webhookReceiver();
    server = await testServer(await fresh(), { CAPSTAN_ALLOW_HOSTS: new URL(hook.url).host }, says);
    const made = (model: string) =>
      server.call("POST", "/v1/agents", { name: model, capabilities: ["test_math"], model });
    agent = (await made("test/scripted")).body.id;
    unpriced = (await made("test/unpriced")).body.id;
  });
  afterAll(async () => {
    await server?.stop();
    hook?.close();
  });

  const budget = async (body: object) => {
    const made = await server.call("POST", "/v1/budgets", { name: "a budget", period: "day", ...body });
    expect(made).toMatchObject({ status: 201 });
    const at = `/v1/budgets/${made.body.id}`;
    return {
      ...made.body,
      now: async () => (await server.call("GET", at)).body.spending,
      change: (patch: object) => server.call("PATCH", at, patch),
      remove: () => server.call("DELETE", at),
    };
  };
  const send = async (content: string, by = agent) => {
    const session = (await server.call("POST", "/v1/sessions", { agent_id: by })).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
    const run = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body;
    const ends = (how: RegExp) =>
      expect.poll(async () => (await run()).status, { timeout: 20_000 }).toMatch(how);
    await ends(/done|waiting|failed/);
    const approval = async () =>
      (await server.call("GET", `/v1/approvals?status=pending&session_id=${session}`)).body.items[0];
    return { run, ends, approval };
  };
  const statusOf = async (content: string, by = agent) => (await (await send(content, by)).run()).status;

  test("an answer is counted with what it cost, and nothing stays reserved", async () => {
    const made = await budget({ measure: "cost_usd", limit: 1000, agent_id: agent });
    const [before] = await made.now();
    expect(await statusOf("hello")).toBe("done");
    const [after] = await made.now();
    expect(after.spent - before.spent).toBeCloseTo(2);
    expect(after).toMatchObject({ reserved: 0, subject: "" });
    await made.remove();
  });

  test("what was spent in the period before the budget was made counts", async () => {
    await statusOf("hello");
    const made = await budget({ measure: "tokens", limit: 1e9, agent_id: agent });
    expect(made.spending[0].spent).toBeGreaterThanOrEqual(15);
    await made.remove();
  });

  test("at the limit a run waits for an admin; an approval with an amount lets it continue", async () => {
    const made = await budget({ measure: "cost_usd", limit: 0.01, agent_id: agent, name: "small" });
    const sent = await send("hello");
    expect((await sent.run()).status).toBe("waiting");
    const approval = await sent.approval();
    expect(approval).toMatchObject({ kind: "budget", input: { budget: "small", limit: 0.01 } });
    expect(approval.reason).toMatch(/The budget "small" is used up/);
    const answer = (edited_args: object) =>
      server.call("POST", `/v1/approvals/${approval.id}`, { decision: "approve", edited_args });
    expect(await answer({ more: -5 })).toMatchObject({ status: 422 });
    expect(await answer({ more: 500, budget_id: "another" })).toMatchObject({ status: 200 });
    await sent.ends(/done/);
    expect((await made.now())[0]).toMatchObject({ extra: 500, alert: 100 });
    await made.remove();
  });

  test.each<
    [string, (made: { change: (patch: object) => unknown; remove: () => unknown }, id: string) => unknown]
  >([
    [
      "one of them is allowed more",
      (_, id) =>
        server.call("POST", `/v1/approvals/${id}`, { decision: "approve", edited_args: { more: 500 } }),
    ],
    ["the limit is raised", ({ change }) => change({ limit: 500 })],
    ["the budget is deleted", ({ remove }) => remove()],
  ])("all runs that wait for a budget continue when %s", async (_how, act) => {
    const made = await budget({ measure: "cost_usd", limit: 0.01, agent_id: agent });
    const sent = [await send("hello"), await send("hello"), await send("hello")];
    for (const { run } of sent) expect((await run()).status).toBe("waiting");
    const [, middle] = await Promise.all(sent.map(({ approval }) => approval()));
    await act(made, middle.id);
    for (const { ends, approval } of sent) {
      await ends(/done/);
      expect(await approval()).toBeUndefined();
    }
    await made.remove();
  });

  test("runs that find no room after another was allowed more ask again", async () => {
    const made = await budget({ measure: "cost_usd", limit: 0.01, agent_id: agent });
    const sent = [await send("hello"), await send("hello"), await send("hello")];
    const before = await Promise.all(sent.map(({ approval }) => approval()));
    const { spent } = (await made.now())[0];
    const answer = { decision: "approve", edited_args: { more: spent + 1 } };
    await server.call("POST", `/v1/approvals/${before[0].id}`, answer);
    const statuses = async () => Promise.all(sent.map(async ({ run }) => (await run()).status));
    await expect
      .poll(async () => (await statuses()).sort(), { timeout: 40_000 })
      .toEqual(["done", "waiting", "waiting"]);
    expect((await made.now())[0]).toMatchObject({ extra: spent + 1, reserved: 0 });
    await made.remove();
    for (const { ends } of sent) await ends(/done/);
  });

  test("a denial ends the run, and says so", async () => {
    const made = await budget({ measure: "tokens", limit: 1, agent_id: agent });
    const sent = await send("hello");
    const { id } = await sent.approval();
    await server.call("POST", `/v1/approvals/${id}`, { decision: "deny", words: "Not today." });
    await sent.ends(/failed|limit/);
    expect(JSON.stringify(await sent.run())).toContain("Not today.");
    await made.remove();
  });

  test("a budget that denies refuses at once, and a deleted one no longer does", async () => {
    const made = await budget({ measure: "tokens", limit: 1, agent_id: agent, at_limit: "deny" });
    expect(JSON.stringify(await (await send("hello")).run())).toContain("budget_used_up");
    await made.remove();
    expect(await statusOf("hello")).toBe("done");
  });

  test.each(["deny", "ask", "wait"])(
    "runs wait for reservations of others, with a budget whose limit is to %s",
    async (at_limit) => {
      held = Promise.withResolvers();
      const made = await budget({ measure: "cost_usd", limit: 1e6, agent_id: agent, at_limit });
      const [{ spent }] = await made.now();
      await made.change({ limit: spent + 11 });
      const first = send("hold");
      await expect.poll(async () => (await made.now())[0].reserved, { timeout: 20_000 }).toBeGreaterThan(11);
      const others = Array.from({ length: 3 }, () => send("hello"));
      const begun = async () =>
        (await server.call("GET", `/v1/runs?agent_id=${agent}&limit=4`)).body.items.filter(
          ({ status }: { status: string }) => status !== "done" && status !== "queued",
        );
      await expect.poll(async () => (await begun()).length, { timeout: 20_000 }).toBe(4);
      held.resolve();
      const all = await Promise.all([first, ...others]);
      expect(await Promise.all(all.map(async ({ run }) => (await run()).status))).toEqual(
        Array(4).fill("done"),
      );
      expect((await made.now())[0]).toMatchObject({ reserved: 0 });
      await made.remove();
    },
  );

  test("a model without a known price is refused where dollars are counted, not counted as free", async () => {
    const made = await budget({ measure: "cost_usd", limit: 10, agent_id: unpriced });
    expect(JSON.stringify(await (await send("hello", unpriced)).run())).toContain("budget_unpriced");
    await made.remove();
  });

  test("calls of a capability are counted, and above the limit a person is asked", async () => {
    const made = await budget({ measure: "calls", limit: 1, capability_id: "test_math", agent_id: unpriced });
    expect(await statusOf("add", unpriced)).toBe("done");
    const second = await send("add", unpriced);
    expect((await second.run()).status).toBe("waiting");
    const { id, kind, reason } = await second.approval();
    expect({ kind, reason }).toEqual({
      kind: "tool",
      reason: 'The budget "a budget" is used up: 1 calls of 1 calls.',
    });
    await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    await second.ends(/done/);
    expect((await made.now())[0]).toMatchObject({ spent: 2, alert: 100 });
    await made.change({ at_limit: "deny" });
    const direct = { input: { a: 1, b: 2 }, agent_id: unpriced };
    const refused = await server.call("POST", "/v1/capabilities/test_math/tools/add", direct);
    expect(refused).toMatchObject({ status: 429, body: { code: "budget_used_up" } });
    await made.remove();
  });

  test("each user has the whole limit when it is for each", async () => {
    const made = await budget({ measure: "tokens", limit: 1e9, for_each: "user", agent_id: agent });
    await statusOf("hello");
    const rows = await made.now();
    expect(rows).toHaveLength(1);
    expect(rows[0].subject).toMatch(/@/);
    await made.remove();
  });

  test("a webhook is told of each alert, signed as the webhooks of runs are", async () => {
    const webhook = { url: hook.url };
    const fresh = { name: "Fresh", capabilities: ["test_math"], model: "test/unpriced" };
    const { id: by } = (await server.call("POST", "/v1/agents", fresh)).body;
    const made = await budget({ measure: "calls", limit: 2, agent_id: by, webhook });
    expect(made.webhook).toEqual(webhook);
    for (let at = 0; at < 2; at++) await statusOf("add", by);
    await expect.poll(() => hook.told.length, { timeout: 20_000 }).toBe(2);
    const { key } = (await server.call("GET", "/v1/webhook-key")).body;
    const told = hook.told.map(({ body, signed }) => {
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signed) ?? [];
      expect(createHmac("sha256", key).update(`${t}.${body}`).digest("hex")).toBe(v1);
      return JSON.parse(body);
    });
    expect(told.map(({ percent }) => percent).toSorted()).toEqual([100, 50].toSorted());
    expect(told[0]).toMatchObject({
      type: "budget.alert",
      budget: { id: made.id, limit: 2, measure: "calls", period: "day" },
      for: null,
    });
    await made.remove();
  });

  test("a webhook that no delivery could reach is refused", async () => {
    const body = { name: "b", period: "day", measure: "calls", limit: 1 };
    const webhook = { url: "http://169.254.169.254/" };
    const refused = await server.call("POST", "/v1/budgets", { ...body, webhook });
    expect([refused.status, refused.body.code]).toEqual([403, "url_refused"]);
  });

  test("an alert is raised once for each of 50, 80 and 100 percent", async () => {
    const made = await budget({ measure: "calls", limit: 10, agent_id: unpriced, for_each: "user" });
    for (let at = 0; at < 6; at++) await statusOf("add", unpriced);
    const { body } = await server.call("GET", "/v1/audit?limit=50");
    const alerts = body.items.filter(
      ({ action, subject }: { action: string; subject: string }) =>
        action === "budget.alert" && subject === made.id,
    );
    expect(alerts.map(({ details }: { details: { percent: number } }) => details.percent)).toContain(50);
    expect(new Set(alerts.map(({ details }: { details: { percent: number } }) => details.percent)).size).toBe(
      alerts.length,
    );
    await made.remove();
  });

  test.each([
    [{ measure: "cost_usd", limit: 0 }, "limit"],
    [{ measure: "cost_usd", limit: 5, capability_id: "test_math" }, "counts calls"],
    [{ measure: "calls", limit: 5, capability_id: "nothing" }, "nothing"],
    [{ measure: "tokens", limit: 5, time_zone: "Mars/Base" }, "time zone"],
    [{ measure: "tokens", limit: 5, for_each: "user", user: "ada@example.com" }, "one user"],
    [{ measure: "tokens", limit: 5, timezone: "UTC" }, "time_zone"],
  ])("a budget that could never count is refused: %j", async (body, words) => {
    const refused = await server.call("POST", "/v1/budgets", { name: "x", period: "day", ...body });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(refused.body)).toContain(words);
  });
});
