/** A change of what an agent may do counts for its next call, in the process that made it and in every other one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect, results } from "../../../../tools/engine-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPostgres, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

/** The sum, in the result of a call that ran. */
const ALLOWED = /\b3\b/;

let llm: ScriptedLlm;
beforeAll(async () => {
  let calls = 0;
  llm = await scriptedLlm(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: ["done"] }
      : { calls: [{ id: `call-${calls++}`, name: "add", input: { a: 1, b: 2 } }] },
  );
});
afterAll(() => llm.close());

const start = (store: FreshStore) => testServer(store, llmEnvironment(llm));

async function newSession(server: TestServer) {
  const made = await server.call("POST", "/v1/agents", { name: "Watched", capabilities: ["test_math"] });
  const session = await server.call("POST", "/v1/sessions", { agent_id: made.body.id });
  return { agentId: made.body.id as string, sessionId: session.body.id as string };
}

/** What the call of one message came to. */
async function call(server: TestServer, sessionId: string): Promise<string> {
  const { runs } = server.services;
  const after = await runs.lastSeq(sessionId);
  await server.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Add." });
  return JSON.stringify(results(await collect(runs, sessionId, { after })));
}

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start(await fresh());
  });
  afterAll(() => server.stop());

  test("a policy changed back and forth without a pause counts each time", async () => {
    const { agentId, sessionId } = await newSession(server);
    for (const policy of ["auto", "deny", "auto", "deny"]) {
      await server.call("PATCH", `/v1/agents/${agentId}`, { tool_policies: { add: policy } });
      const result = await call(server, sessionId);
      expect(ALLOWED.test(result), `${policy}: ${result}`).toBe(policy === "auto");
    }
  });
});

/** With another process on the same database: what that one changes counts here once its notification is in. */
test("a policy and a rule changed by another process count for the next call", async () => {
  const store = await freshPostgres();
  const server = await start(store);
  const other = await serverProcess(store, { CAPSTAN_FIND_MODELS: "off" });
  const changeThere = async (method: string, path: string, body: object) => {
    const heard = new Promise<void>((resolve) => server.services.database.policyChanges.onChange(resolve));
    const { status, body: answer } = await other.call(method, path, body);
    expect(status, JSON.stringify(answer)).toBeLessThan(300);
    await heard;
  };
  try {
    const { agentId, sessionId } = await newSession(server);
    const policy = (add: string) => changeThere("PATCH", `/v1/agents/${agentId}`, { tool_policies: { add } });
    expect(await call(server, sessionId)).toMatch(ALLOWED);
    await policy("deny");
    expect(await call(server, sessionId)).not.toMatch(ALLOWED);
    await policy("auto");
    expect(await call(server, sessionId)).toMatch(ALLOWED);
    await changeThere("POST", "/v1/rules", { name: "No sums", tools: ["add"], then: "deny" });
    expect(await call(server, sessionId)).not.toMatch(ALLOWED);
  } finally {
    await other.end();
    await server.stop();
  }
});
