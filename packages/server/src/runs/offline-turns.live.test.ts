import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
const site = http.createServer((_request, response) =>
  response.setHeader("content-type", "text/html").end("<h1>Tides</h1><p>High at noon.</p>"),
);
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  server = await testServer(await freshPglite(), { CAPSTAN_ALLOW_HOSTS: "127.0.0.1" });
});
afterAll(async () => {
  site.close();
  await server.stop();
});

describe("with no key set, the offline model", () => {
  test.each<[string, () => string, RegExp]>([
    ["what time is it in Tokyo", () => "what time is it in Tokyo", /\d{2}:\d{2}/],
    ["add 2 and 40", () => "add 2 and 40", /42/],
    ["write and read back", () => "write hello to /notes.txt and read it back", /notes\.txt says: hello/],
    ["fetch <url>", () => `fetch http://127.0.0.1:${(site.address() as AddressInfo).port}/`, /High at noon/],
    [
      "plan",
      () => "plan these three things: buy milk, fix the bug, write tests",
      /Buy milk.*Fix the bug.*Write tests/s,
    ],
  ])("really does: %s", async (_what, message, answer) => {
    const agent = await newAgent({
      name: "Everything",
      capabilities: ["current_time", "test_math", "session_file_system", "web_fetch", "stateless_todo_list"],
    });
    expect(await ask(agent, message())).toMatch(answer);
  });
});

describe("an agent that lists another as a capability", () => {
  test("delegates to it, and its preview shows the tools", async () => {
    const clerk = await newAgent({
      name: "Clerk",
      description: "Knows the time.",
      capabilities: ["current_time"],
    });
    const boss = await newAgent({ name: "Boss", capabilities: [`agent.${clerk}`] });
    const preview = await server.call("GET", `/v1/agents/${boss}/preview`);
    expect(JSON.stringify(preview.body)).toContain("delegate_to_clerk");
    expect(await ask(boss, 'delegate to clerk the task "what time is it in Tokyo"')).toMatch(/\d{2}:\d{2}/);
  });

  test("cannot list an unknown one", async () => {
    const answer = await server.call("POST", "/v1/agents", {
      name: "Lost",
      capabilities: ["agent.00000000-0000-7000-8000-000000000000"],
    });
    expect(answer).toMatchObject({ status: 422, body: { code: "capability_unknown" } });
  });
});

test("a deleted session leaves no message and no event behind", async () => {
  const agent = await newAgent({ name: "Short", capabilities: ["test_math"] });
  const session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
  await answerIn(session, "add 1 and 1");
  await server.call("DELETE", `/v1/sessions/${session}`);
  const { pool } = server.services.database;
  for (const table of ["messages", "events", "runs"]) {
    const { rows } = await pool.query(`select count(*)::int as n from ${table} where session_id = $1`, [
      session,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  }
});

async function newAgent(body: object): Promise<string> {
  const made = await server.call("POST", "/v1/agents", { granted_scopes: ["*"], ...body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.id;
}

async function ask(agentId: string, content: string): Promise<string> {
  const session = await server.call("POST", "/v1/sessions", { agent_id: agentId });
  return answerIn(session.body.id, content);
}

async function answerIn(session: string, content: string): Promise<string> {
  const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
  expect(sent.status).toBe(202);
  const status = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
  await expect.poll(status, { timeout: 20_000 }).toBe("done");
  const { body } = await server.call("GET", `/v1/sessions/${session}/messages`);
  return JSON.stringify(body.items.at(-1));
}
