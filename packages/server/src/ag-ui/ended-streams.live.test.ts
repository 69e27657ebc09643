/** Resources of a response are released when it ends, however it ends. */
import { getEventListeners } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const INPUT = { threadId: "t", tools: [], context: [], state: {}, forwardedProps: {} };
const said = (id: string) => [{ id, role: "user", content: "add 1 and 2" }];
const PROTOBUF = { accept: "application/vnd.ag-ui.event+proto" };

let server: TestServer;
let agent: string;
beforeAll(async () => {
  server = await testServer(await freshPglite());
  agent = (await server.call("POST", "/v1/agents", { name: "Ends", capabilities: ["test_math"] })).body.id;
  await ask({ ...INPUT, runId: "r-0", messages: said("m-0") });
});
afterAll(() => server.stop());

test.each<[string, object, Record<string, string>?]>([
  ["a run", { ...INPUT, runId: "r-1", messages: said("m-1") }],
  ["a run in protobuf", { ...INPUT, runId: "r-2", messages: said("m-2") }, PROTOBUF],
  ["a message that was sent before", { ...INPUT, runId: "r-3", messages: said("m-0") }],
  ["a look at a run that has ended", { ...INPUT, runId: "r-4", messages: [] }],
  [
    "an answer to nothing",
    { ...INPUT, runId: "r-5", messages: [], resume: [{ interruptId: "i", status: "resolved" }] },
  ],
  ["a thread that is refused", { ...INPUT, threadId: "", runId: "r-6", messages: said("m-6") }],
])("%s leaves no listener behind", async (_what, input, headers) => {
  const before = held();
  for (let time = 0; time < 3; time++) await ask(input, headers);
  expect(held()).toEqual(before);
});

test("a run of an unknown agent leaves no listener behind", async () => {
  const before = held();
  await ask(
    { ...INPUT, threadId: "other", runId: "r", messages: said("m") },
    {},
    "0199c0de-0000-7000-8000-000000000000",
  );
  expect(held()).toEqual(before);
});

test("an A2A call that returns immediately leaves no listener behind", async () => {
  const before = held();
  const call = { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "none" } };
  await server.call("POST", `/v1/agents/${agent}/a2a`, call);
  expect(held()).toEqual(before);
});

const held = () => ({
  streams: getEventListeners(server.services.stopping, "abort").length,
  sessions: server.services.runs.listenedTo(),
});

/** Read to its end. */
async function ask(input: object, headers: Record<string, string> = {}, id = agent): Promise<void> {
  const response = await fetch(`${server.url}/v1/agents/${id}/ag-ui`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(input),
  });
  await response.arrayBuffer();
}
