/** A past call is explained as it was decided, whichever way it came, and by what the rules say now. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("an explanation on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let agent: string;
  let calls: { id: string; name: string; input: object }[] = [];
  beforeAll(async () => {
    llm = await scriptedLlm(({ messages }) =>
      messages.at(-1)?.role === "tool" ? { text: ["done"] } : { calls },
    );
    server = await testServer(await fresh(), llmEnvironment(llm));
    agent = (await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] })).body.id;
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  const rule = async (body: object) => {
    const made = await server.call("POST", "/v1/rules", { name: "No large sums", tools: ["add"], ...body });
    expect(made).toMatchObject({ status: 201 });
    return { ...made.body, remove: () => server.call("DELETE", `/v1/rules/${made.body.id}`) };
  };
  const LARGE = { when: [{ arg: "b", op: "above", value: 100 }] };
  const explained = async (id: string) =>
    (await server.call("GET", `/v1/rules/explain/${encodeURIComponent(id)}`)).body;
  const say = async (input: object, name = "add") => {
    calls = [{ id: `c${Math.random()}`, name, input }];
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "go" });
    const ends = (how: RegExp) =>
      expect
        .poll(async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status, {
          timeout: 20_000,
        })
        .toMatch(how);
    return { session, run: sent.body.run_id as string, callId: calls[0]?.id ?? "", ends };
  };

  test("names the rule of that time, also when it is gone", async () => {
    const { id, sentence, remove } = await rule({ ...LARGE, then: "deny", words: "Too much." });
    const { callId, run, ends } = await say({ a: 1, b: 500 });
    await ends(/done/);
    await remove();
    const body = await explained(callId);
    expect(body).toMatchObject({
      tool: "add",
      input: { a: 1, b: 500 },
      path: "loop",
      run_id: run,
      decisions: [
        {
          decision: "deny",
          rule_id: id,
          rule_name: "No large sums",
          sentence,
          why: "Too much.",
          outcome: "refused",
        },
      ],
      now: { decision: "allow", rule_id: null },
      note: null,
    });
    expect(await explained(`${run}:${callId}`)).toEqual({ ...body, call_id: `${run}:${callId}` });
  });

  test("tells a call that was asked about, edited and approved", async () => {
    const { id, remove } = await rule({ ...LARGE, then: "ask" });
    const { session, callId, ends } = await say({ a: 1, b: 500 });
    await ends(/waiting/);
    const [approval] = (await server.call("GET", `/v1/approvals?session_id=${session}`)).body.items;
    await server.call("POST", `/v1/approvals/${approval.id}`, {
      decision: "approve",
      edited_args: { a: 1, b: 200 },
    });
    await ends(/done/);
    const body = await explained(callId);
    expect(body).toMatchObject({
      edited_input: { a: 1, b: 200 },
      decisions: [
        { decision: "ask", rule_id: id, approved: false, outcome: "waiting" },
        { decision: "allow", rule_id: id, approved: true, outcome: "done" },
      ],
      now: { decision: "ask", rule_id: id },
    });
    expect((await explained(approval.id)).decisions).toEqual(body.decisions);
    const stricter = { name: "x", tools: ["add"], when: [{ arg: "b", op: "is", value: 200 }], then: "deny" };
    const asks = { name: "y", tools: ["add"], ...LARGE, then: "ask" };
    const trial = (await server.call("POST", "/v1/rules/simulate", { rules: [asks, stricter] })).body;
    expect(trial.newly_denied).toMatchObject([{ call_id: callId, input: { b: 200 }, edited: true }]);
    const never = (await server.call("POST", "/v1/rules/simulate", { rules: [{ ...asks, then: "deny" }] }))
      .body;
    const own = never.newly_denied.filter(({ call_id }: { call_id: string }) => call_id === callId);
    expect(own).toMatchObject([{ input: { b: 500 }, edited: false }]);
    await remove();
  });

  test("tells calls over REST, MCP and of a task, which have no conversation", async () => {
    const denied = await rule({ ...LARGE, then: "deny" });
    const path = "/v1/capabilities/test_math/tools/add";
    const rest = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ agent_id: agent, input: { a: 1, b: 500 } }),
    });
    const overRest = await explained(rest.headers.get("x-capstan-call") ?? "");
    expect(overRest).toMatchObject({
      path: "rest",
      tool: "add",
      input: null,
      decisions: [{ decision: "deny", rule_id: denied.id }],
      now: null,
    });
    expect(overRest.note).toContain("arguments were not stored");
    const mcp = await fetch(`${server.url}/mcp?agent=${agent}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "add", arguments: { a: 1, b: 500 } },
      }),
    });
    const id = /"capstan\/callId":"([^"]+)"/.exec(await mcp.text())?.[1] ?? "";
    expect(await explained(id)).toMatchObject({
      path: "mcp",
      decisions: [{ decision: "deny", rule_id: denied.id }],
    });
    const task = await fetch(`${server.url}/api/execute-task`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ task: "add 1 and 500" }),
    });
    const taskId = task.headers.get("x-capstan-task");
    expect(await explained(`${taskId}:1`)).toMatchObject({
      path: "task",
      decisions: [{ decision: "deny", rule_id: denied.id }],
    });
    await denied.remove();
  });

  test("a question about a direct call is told with its arguments, before and after the yes", async () => {
    const { remove } = await rule({ ...LARGE, then: "ask" });
    const path = "/v1/capabilities/test_math/tools/add";
    const asked = await server.call("POST", path, { agent_id: agent, input: { a: 1, b: 500 } });
    const id = asked.body.approval_id;
    expect(await explained(id)).toMatchObject({
      input: { a: 1, b: 500 },
      decisions: [{ decision: "ask", outcome: "waiting" }],
      now: { decision: "ask" },
    });
    await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    await expect
      .poll(async () => (await explained(id)).decisions, { timeout: 10_000 })
      .toMatchObject([{ decision: "ask" }, { decision: "allow", approved: true, outcome: "done" }]);
    await remove();
  });

  test("a call of a tool with an odd name is recorded as well, and so are those beside it", async () => {
    const odd = await say({}, "a\u0000b\ud800");
    await odd.ends(/done|failed/);
    const plain = await say({ a: 1, b: 2 });
    await plain.ends(/done/);
    expect((await explained(odd.callId)).decisions).toMatchObject([{ decision: "deny", outcome: "refused" }]);
    expect((await explained(plain.callId)).decisions).toMatchObject([{ decision: "allow", outcome: "done" }]);
  });

  test("arguments that a schema refuses are in no history", async () => {
    const { callId, ends } = await say({ a: "the secret word", b: 2 });
    await ends(/done|failed/);
    await explained(callId);
    const { rows } = await server.services.database.pool.query("select * from call_history");
    expect(JSON.stringify(rows)).toContain("do not fit the tool's schema");
    expect(JSON.stringify(rows)).not.toContain("secret word");
  });

  test("a call that names itself like another user's adds nothing to that one", async () => {
    const { run, callId, ends } = await say({ a: 1, b: 2 });
    await ends(/done/);
    const { telemetry } = server.services;
    const body = await explained(callId);
    telemetry.recordCall({
      ts: new Date().toISOString(),
      path: "mcp",
      capabilityId: "test_math",
      tool: "add",
      agentId: agent,
      user: "eve@example.com",
      latencyMs: 1,
      outcome: "refused",
      callId: `${run}:${callId}`,
      decision: { effect: "deny", why: "Not so." },
    });
    expect(await explained(callId)).toEqual(body);
  });

  test("an unknown call is unknown", async () => {
    expect((await server.call("GET", "/v1/rules/explain/nothing")).status).toBe(404);
  });
});
