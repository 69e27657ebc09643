import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type SaidPart, scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const PRICES = { input: 100_000, output: 200_000 }; // US dollars a million: an answer of 10 and 5 tokens costs two

/** Calls a tool, then says the result; a message that says "fail" divides by zero. */
const says = (step: number, asked: string): SaidPart[] => {
  if (step > 0) return [{ text: "Done." }];
  return asked.includes("fail")
    ? [{ call: "divide", input: { a: 1, b: 0 } }]
    : [{ call: "add", input: { a: 3, b: 4 } }];
};

describe.each(STORES)("usage on $name", ({ fresh }) => {
  let server: TestServer;
  let agentId: string;
  beforeAll(async () => {
    const model = scriptedModel((call, step) => says(step, JSON.stringify(call.prompt.at(-1))), {
      prices: PRICES,
    });
    server = await testServer(await fresh(), {}, { models: { "test/scripted": model } });
    const made = await server.call("POST", "/v1/agents", {
      name: "Adder",
      capabilities: ["test_math"],
      model: "test/scripted",
      tool_policies: { add: "approve" },
    });
    agentId = made.body.id;
    await runOnce("add 3 and 4");
    await runOnce("fail please");
    await server.services.telemetry.flush();
  });
  afterAll(() => server.stop());

  async function runOnce(content: string): Promise<void> {
    const session = await server.call("POST", "/v1/sessions", { agent_id: agentId });
    const sent = await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content });
    const statusOf = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    const becomes = (status: RegExp) =>
      vi.waitFor(async () => expect(await statusOf()).toMatch(status), { timeout: 15_000 });
    await becomes(/waiting|done/);
    const pending = await server.call("GET", "/v1/approvals?status=pending");
    for (const { id } of pending.body.items)
      await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    await becomes(/done/);
  }

  const sums = { calls: 4, input_tokens: 40, output_tokens: 20, cost_usd: 8, unpriced_calls: 0 };

  test("counts every model call once, before and after it was moved into its hour", async () => {
    const read = async () => (await server.call("GET", "/v1/usage?group_by=agent")).body;
    const before = await read();
    expect(before.total).toMatchObject(sums);
    expect(before.groups).toEqual([expect.objectContaining({ key: agentId, name: "Adder", ...sums })]);
    await server.services.usage.roll();
    await server.services.usage.roll();
    const { rows } = await server.services.database.pool.query("select 1 from usage_fresh");
    expect(rows).toEqual([]);
    const after = await read();
    expect([after.total, after.groups, after.points]).toEqual([before.total, before.groups, before.points]);
  });

  test.each([
    ["model", "test/scripted"],
    ["user", "local@localhost"],
  ])("splits by %s", async (by, key) => {
    const { body } = await server.call("GET", `/v1/usage?group_by=${by}&bucket=hour`);
    expect(body.groups.map((group: { key: string }) => group.key)).toEqual([key]);
    const total = body.points.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0);
    expect(total).toBe(4);
  });

  test("counts a call that waited for approval once, and a failure as one", async () => {
    const { body } = await server.call("GET", "/v1/usage/tools?sort=failing");
    expect(
      body.items.map(({ tool, calls, failures }: Record<string, unknown>) => [tool, calls, failures]),
    ).toEqual([
      ["divide", 1, 1],
      ["add", 1, 0],
    ]);
    const [one] = (await server.call("GET", "/v1/usage/tools?group_by=capability")).body.items;
    expect(one).toMatchObject({ capability_id: "test_math", calls: 2, failures: 1 });
    expect(one.max_ms).toBeGreaterThanOrEqual(one.p95_ms);
  });

  test("exports CSV with names", async () => {
    const response = await fetch(`${server.url}/v1/usage/export`);
    expect(response.headers.get("content-type")).toMatch(/^text\/csv/);
    const [head, line] = (await response.text()).split("\r\n");
    expect(head).toMatch(/^hour,agent_id,agent,model,user,calls,input_tokens/);
    expect(line).toContain(`,${agentId},Adder,test/scripted,local@localhost,4,40,20,0,0,8,0`);
  });

  test.each([
    "/v1/usage?from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z",
    "/v1/usage?from=2020-01-01T00:00:00Z",
    "/v1/usage?from=yesterday",
    "/v1/usage?group_by=colour",
    "/v1/usage?bucket=hour&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z",
    "/v1/usage/tools?sort=best",
  ])("refuses %s", async (path) => {
    const { status, body } = await server.call("GET", path);
    expect([status, body.code]).toEqual([422, "input_invalid"]);
  });

  test("shows a key its owner's usage alone", async () => {
    const made = await server.call("POST", "/v1/keys", {
      name: "reader",
      owner: "ana@example.com",
      rights: ["read"],
    });
    const { body } = await server.call("GET", "/v1/usage", undefined, {
      authorization: `Bearer ${made.body.key}`,
    });
    expect(body.total.calls).toBe(0);
  });
});
