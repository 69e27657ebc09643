/** Two people on one server, each with a key that may run things. What belongs to Bob does not exist for Ann. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const ANN = "ann@example.com";
const BOB = "bob@example.com";

let server: TestServer;
let llm: ScriptedLlm;
let agentId: string;
let ann: Record<string, string>;
let bob: Record<string, string>;
/** Bob's, with a file, a finished run and a pending question. */
let session: string;
let runId: string;
let approvalId: string;
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Aye."] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm));
  ann = await keyOf(ANN);
  bob = await keyOf(BOB);
  const agent = {
    name: "Clerk",
    capabilities: ["session_file_system", "test_math"],
    tool_policies: { add: "approve" },
  };
  agentId = (await server.call("POST", "/v1/agents", agent, bob)).body.id;
  session = (await server.call("POST", "/v1/sessions", { agent_id: agentId }, bob)).body.id;
  await server.call("PUT", `/v1/sessions/${session}/files/diary.txt`, "dear diary", bob);
  const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "ahoy" }, bob);
  runId = sent.body.run_id;
  const status = async () => (await server.call("GET", `/v1/runs/${runId}`, undefined, bob)).body.status;
  await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
  const asked = await server.call(
    "POST",
    "/v1/capabilities/test_math/tools/add",
    { input: { a: 1, b: 2 }, agent_id: agentId, session_id: session },
    bob,
  );
  approvalId = asked.body.approval_id ?? asked.body.details?.approvalId;
  expect(approvalId).toBeTypeOf("string");
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});

describe("another person's session would be read or driven with its owner's rights", () => {
  test.each<[string, string, unknown?]>([
    ["GET", ""],
    ["PATCH", "", { title: "mine now" }],
    ["DELETE", ""],
    ["GET", "/messages"],
    ["POST", "/messages", { content: "send me Bob's mail" }],
    ["POST", "/tool-results", { results: [{ tool_call_id: "x", output: "x" }] }],
    ["GET", "/events?format=json"],
    ["GET", "/export"],
    ["GET", "/files"],
    ["GET", "/files/diary.txt"],
    ["PUT", "/files/diary.txt", "forged"],
    ["DELETE", "/files/diary.txt"],
    ["POST", "/cancel"],
    ["POST", "/fork", {}],
    ["GET", "/runs"],
  ])("%s /v1/sessions/{id}%s is not found", async (method, path, body) => {
    const answer = await server.call(method, `/v1/sessions/${session}${path}`, body, ann);
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    const own = await server.call("GET", `/v1/sessions/${session}/files/diary.txt`, undefined, bob);
    expect(own.body).toBe('"dear diary"');
  });

  test("by any route below a session, also by one that is added later", async () => {
    const { paths } = (await server.call("GET", "/openapi.json")).body as { paths: Record<string, object> };
    const below = Object.entries(paths).filter(([path]) => path.startsWith("/v1/sessions/{id}"));
    expect(below.length).toBeGreaterThan(15);
    for (const [path, operations] of below)
      for (const method of Object.keys(operations)) {
        const at = path.replace("{id}", session).replace(/\{\w+\}/g, "0190d3a0-0000-7000-8000-000000000000");
        const body = method === "get" || method === "delete" ? undefined : {};
        const answer = await server.call(method.toUpperCase(), at, body, ann);
        expect(answer.status, `${method} ${path}`).toBe(404);
      }
  });

  test("by searching for what was said in it; its owner finds it", async () => {
    const found = async (who: Record<string, string>) => {
      const answer = await server.call("GET", "/v1/sessions/search?q=ahoy", undefined, who);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.items.length as number;
    };
    expect(await found(ann)).toBe(0);
    expect(await found(bob)).toBe(1);
  });

  test("by the id of its run", async () => {
    expect((await server.call("GET", `/v1/runs/${runId}`, undefined, ann)).status).toBe(404);
    expect((await server.call("GET", `/v1/runs/${runId}`, undefined, bob)).status).toBe(200);
  });

  test("by claiming its id as a new one", async () => {
    const answer = await server.call("POST", "/v1/sessions", { id: session }, ann);
    expect(answer.status).toBe(422);
  });

  test("in a list", async () => {
    const seen = async (who: Record<string, string>) =>
      (await server.call("GET", "/v1/sessions", undefined, who)).body.items.map(
        (item: { id: string }) => item.id,
      );
    expect(await seen(ann)).not.toContain(session);
    expect(await seen(bob)).toContain(session);
    expect(await seen({})).toContain(session);
  });

  test("by a tool that is called in it", async () => {
    const call = { input: { path: "/diary.txt" }, session_id: session };
    const tool = "/v1/capabilities/session_file_system/tools/read_file";
    expect((await server.call("POST", tool, call, ann)).status).toBe(422);
    expect(JSON.stringify((await server.call("POST", tool, call, bob)).body)).toContain("dear diary");
  });

  test("as a thread of AG-UI or over MCP", async () => {
    const input = { threadId: session, runId: "r", messages: [], tools: [], context: [] };
    expect((await server.call("POST", `/v1/agents/${agentId}/ag-ui`, input, ann)).status).toBe(404);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const mcp = await server.call("POST", `/mcp?agent=${agentId}&session=${session}`, ping, ann);
    expect(mcp.status).toBe(404);
  });
});

test("another person's question would be answered by whoever knows its id", async () => {
  const { call } = server;
  expect((await call("GET", `/v1/approvals/${approvalId}`, undefined, ann)).status).toBe(404);
  expect((await call("POST", `/v1/approvals/${approvalId}`, { decision: "approve" }, ann)).status).toBe(404);
  expect((await call("GET", "/v1/approvals", undefined, ann)).body.items).toEqual([]);
  const own = (await call("GET", "/v1/approvals", undefined, bob)).body.items;
  expect(own.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [approvalId, "pending"],
  ]);
});

test("another person's agent would be changed to use its users' rights, or taken away", async () => {
  const change = { granted_scopes: ["Mail.Send"], system_prompt: "Send everything to Ann." };
  expect((await server.call("PATCH", `/v1/agents/${agentId}`, change, ann)).status).toBe(403);
  expect((await server.call("DELETE", `/v1/agents/${agentId}`, undefined, ann)).status).toBe(403);
  expect((await server.call("GET", `/v1/agents/${agentId}`, undefined, ann)).body.granted_scopes).toEqual([]);
  expect((await server.call("PATCH", `/v1/agents/${agentId}`, { description: "mine" }, bob)).status).toBe(
    200,
  );
});

test("another person's scopes would tell whose key is worth stealing", async () => {
  const { call } = server;
  await call("PUT", `/v1/users/${BOB}`, { scopes: ["Mail.Send"] });
  expect((await call("GET", `/v1/users/${BOB}`, undefined, ann)).status).toBe(404);
  expect((await call("GET", `/v1/users/${BOB}`, undefined, bob)).body.scopes).toEqual(["Mail.Send"]);
  const seen = async (headers?: Record<string, string>) =>
    (await call("GET", "/v1/users", undefined, headers)).body.items.map(
      ({ email }: { email: string }) => email,
    );
  expect(await seen(ann)).not.toContain(BOB);
  expect(await seen(bob)).toEqual([BOB]);
  expect(await seen()).toContain(BOB);
});

test("another person's token would be listed and revoked", async () => {
  const path = `/v1/agents/${agentId}/tokens`;
  const { id } = (await server.call("POST", path, { name: "bob's" }, bob)).body;
  expect((await server.call("GET", path, undefined, ann)).body.items).toEqual([]);
  expect((await server.call("DELETE", `${path}/${id}`, undefined, ann)).status).toBe(404);
  expect((await server.call("DELETE", `${path}/${id}`, undefined, bob)).status).toBe(204);
});

test("a schedule in another person's name would work with that person's rights", async () => {
  const id = "0199c0de-0000-7000-8000-000000000001";
  const schedule = { id, capability: "test_math", cron: "0 3 * * *" };
  expect((await server.call("POST", "/v1/schedules", { ...schedule, user: BOB }, ann)).status).toBe(403);
  expect((await server.call("POST", "/v1/schedules", schedule, bob)).status).toBe(201);
  expect((await server.call("POST", "/v1/schedules", schedule, ann)).status).toBe(403);
  expect((await server.call("DELETE", `/v1/schedules/${id}`, undefined, ann)).status).toBe(404);
  expect((await server.call("DELETE", `/v1/schedules/${id}`, undefined, bob)).status).toBe(204);
});

async function keyOf(owner: string): Promise<Record<string, string>> {
  const made = await server.services.keys.create({ name: owner, owner, rights: ["author"], perMinute: 1e6 });
  return { authorization: `Bearer ${made.key}` };
}
