/** A single message is assumed to start a new thread. Where it does not, the result must be the same as with a lookup first. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let agent: string;
let key: string;
beforeAll(async () => {
  server = await testServer(await freshPglite());
  agent = await newAgent("Lone");
  await server.call("PUT", "/v1/users/eve@example.com", { scopes: [] });
  const made = await server.call("POST", "/v1/keys", {
    name: "eve",
    owner: "eve@example.com",
    rights: ["author"],
  });
  key = made.body.key;
});
afterAll(() => server.stop());

test("in one's own thread it is the next turn", async () => {
  const threadId = crypto.randomUUID();
  await ask(threadId, "m-1");
  expect(await ask(threadId, "m-2")).toContain("RUN_FINISHED");
  const { body } = await server.call("GET", `/v1/sessions/${threadId}/messages`);
  expect(body.items.filter(({ role }: { role: string }) => role === "user")).toHaveLength(2);
});

test("sent twice by the same run it is answered once", async () => {
  const threadId = crypto.randomUUID();
  await ask(threadId, "m-1", { runId: "r-1" });
  expect(await ask(threadId, "m-1", { runId: "r-1" })).toContain("RUN_FINISHED");
  const { body } = await server.call("GET", `/v1/sessions/${threadId}/runs`);
  expect(body.items).toHaveLength(1);
});

test("sent again by a new run it is answered again", async () => {
  const threadId = crypto.randomUUID();
  await ask(threadId, "m-1");
  expect(await ask(threadId, "m-1")).toContain("RUN_FINISHED");
  const { body } = await server.call("GET", `/v1/sessions/${threadId}/runs`);
  expect(body.items).toHaveLength(2);
});

test.each([
  ["a new message", "m-2"],
  ["the id of a message that stands there", "m-1"],
])("the id of an existing message", async (_what, messageId) => {
  const threadId = crypto.randomUUID();
  await ask(threadId, "m-1");
  const answer = await ask(threadId, messageId, { headers: { authorization: `Bearer ${key}` } });
  expect(answer).toContain("not_found");
  expect(answer).not.toContain("RUN_STARTED");
});

test("a handed-over conversation continues, even when the agent it started with is gone", async () => {
  const gone = await newAgent("Gone");
  const threadId = crypto.randomUUID();
  await ask(threadId, "m-1", { to: gone });
  await server.call("PATCH", `/v1/sessions/${threadId}`, { agent_id: agent });
  await server.call("DELETE", `/v1/agents/${gone}`);
  expect(await ask(threadId, "m-2", { to: gone })).toContain("RUN_FINISHED");
});

const newAgent = async (name: string): Promise<string> =>
  (await server.call("POST", "/v1/agents", { name, capabilities: ["test_math"] })).body.id;

async function ask(
  threadId: string,
  messageId: string,
  {
    headers = {},
    to = agent,
    runId = crypto.randomUUID(),
  }: { headers?: Record<string, string>; to?: string; runId?: string } = {},
): Promise<string> {
  const messages = [{ id: messageId, role: "user", content: "add 1 and 2" }];
  const response = await fetch(`${server.url}/v1/agents/${to}/ag-ui`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ threadId, runId, messages }),
  });
  return response.text();
}
