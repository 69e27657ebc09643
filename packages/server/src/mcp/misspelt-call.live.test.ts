/** Calls whose arguments are not where MCP has them: they must not run with defaults. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let agentId: string;
beforeAll(async () => {
  server = await testServer(await freshPglite());
  const made = await server.call("POST", "/v1/agents", { name: "Clock", capabilities: ["current_time"] });
  agentId = made.body.id;
});
afterAll(() => server?.stop());

const call = async (params: object): Promise<string> => {
  const response = await fetch(`${server.url}/mcp?agent=${agentId}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
  });
  return response.text();
};
const name = "get_current_time";
const tokyo = { timezone: "Asia/Tokyo" };

test.each([
  ["a misspelt name", { name, argument: tokyo }, 'did you mean \\"arguments\\"'],
  ["another case", { name, Arguments: tokyo, arguments: {} }, 'use \\"arguments\\"'],
  ["another name", { name, input: tokyo }, '\\"input\\" belongs in'],
  ["arguments beside it", { name, ...tokyo }, '\\"timezone\\" belongs in'],
])("a call is refused with %s for its arguments", async (_what, params, said) => {
  const answer = await call(params);
  expect(answer).toContain(said);
  expect(JSON.parse(answer)).toMatchObject({ id: 7, error: { code: -32602 } });
});

test.each([
  ["its arguments", { name, arguments: tokyo }, "+09:00"],
  ["no arguments", { name }, "UTC"],
  [
    "members that other versions have",
    { name, arguments: tokyo, task: { ttl: 1 }, _meta: {}, later: 1 },
    "+09:00",
  ],
])("a call runs with %s", async (_what, params, said) => {
  expect(await call(params)).toContain(said);
});
