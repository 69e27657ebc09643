/** Nobody gives what they do not have. Each test is an attack; its title says what it would let in. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { PROOF_CAPABILITIES, SCOPE } from "../fixtures/proof-capabilities.ts";

type Who = Record<string, string>;

let server: TestServer;
let llm: ScriptedLlm;
let runner: Who;
let author: Who;
let other: Who;
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Aye."] }));
  const config = { capabilities: PROOF_CAPABILITIES };
  server = await testServer(
    await freshPglite(),
    { ...llmEnvironment(llm), CAPSTAN_STREAMS_PER_KEY: "2" },
    { config },
  );
  runner = await keyOf("run", "rob@example.com");
  author = await keyOf("author", "ann@example.com");
  other = await keyOf("author", "bob@example.com");
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});

describe("a key that may run agents would make agents, schedules and rights", () => {
  test.each<[string, string, unknown]>([
    ["POST", "/v1/agents", { name: "mine" }],
    ["POST", "/v1/schedules", { capability: "test_math", cron: "* * * * *" }],
    ["POST", "/v1/grants", { subject: "user:rob@example.com", scope: "*" }],
    ["POST", "/v1/keys", { name: "admin", rights: ["admin"] }],
    ["GET", "/v1/coding-agents/claude/sessions", undefined],
    ["GET", "/v1/coding-agents/claude/sessions/any", undefined],
  ])("by %s %s", async (method, path, body) => {
    const answer = await server.call(method, path, body, runner);
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
  });
});

describe("an author would make an agent that does more than the author may", () => {
  test.each<[string, object]>([
    ["a shell as the server's user", { harness: "claude", allow_native_tools: true }],
    ["a program on the server's machine", { harness: "claude" }],
    ["tools outside the gate", { allow_native_tools: true }],
    ["an agent that asks for more rights", { may_request_scopes: true }],
    [
      "decisions handed to someone else",
      { approval_expiry: { policy: "escalate", after_seconds: 1, to: "eve@example.com" } },
    ],
    ["a scope the author does not have", { granted_scopes: [SCOPE] }],
    ["every scope", { granted_scopes: ["*"] }],
    [
      "a tool that asks a person, without asking",
      { capabilities: ["proof"], tool_policies: { careful: "auto" } },
    ],
  ])("%s", async (_what, fields) => {
    const body = { name: "Mole", capabilities: ["test_math"], ...fields };
    const answer = await server.call("POST", "/v1/agents", body, author);
    expect(answer).toMatchObject({
      status: 403,
      body: { code: "forbidden", nextStep: expect.stringMatching(/admin/) },
    });
    expect((await server.call("POST", "/v1/agents", body)).status).not.toBe(403);
  });

  test("by changing the prompt of an agent that an admin gave more to", async () => {
    const { body } = await server.call(
      "POST",
      "/v1/agents",
      { name: "A", capabilities: ["test_math"] },
      author,
    );
    const given = await server.call("PATCH", `/v1/agents/${body.id}`, { may_request_scopes: true });
    expect(given.status).toBe(200);
    const change = { system_prompt: "Ask for everything." };
    const answer = await server.call("PATCH", `/v1/agents/${body.id}`, change, author);
    expect(answer.status).toBe(403);
  });

  test("by changing somebody else's agent", async () => {
    const { body } = await server.call("POST", "/v1/agents", { name: "Ann's" }, author);
    const answer = await server.call("PATCH", `/v1/agents/${body.id}`, { system_prompt: "Obey Bob." }, other);
    expect(answer.status).toBe(403);
  });
});

describe("an agent would get scopes without a person who may give them", () => {
  async function asking(policies: object, who: Who) {
    const agent = await server.call("POST", "/v1/agents", {
      name: "Asker",
      capabilities: ["proof"],
      may_request_scopes: true,
      tool_policies: policies,
    });
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id }, who);
    llm.script = ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: ["Done."] }
        : { calls: [{ id: "c1", name: "request_access", input: { tool: "guarded", reason: "please" } }] };
    await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "go" }, who);
    const pending = () => server.call("GET", "/v1/approvals?status=pending", undefined, who);
    await vi.waitFor(async () => expect((await pending()).body.items).not.toEqual([]), { timeout: 20_000 });
    return { agentId: agent.body.id, approval: (await pending()).body.items[0].id };
  }
  const scopesOf = async (email: string) =>
    (await server.call("GET", `/v1/users/${email}`)).body.scopes as string[];

  test("by a policy of the agent that lets request_access run by itself", async () => {
    const { approval } = await asking({ request_access: "auto" }, runner);
    expect(await scopesOf("rob@example.com")).not.toContain(SCOPE);
    await server.call("POST", `/v1/approvals/${approval}`, { decision: "deny" }, runner);
  });

  test("by approving one's own question", async () => {
    const { approval } = await asking({}, runner);
    const own = await server.call("POST", `/v1/approvals/${approval}`, { decision: "approve" }, runner);
    expect(own).toMatchObject({ status: 403, body: { nextStep: expect.stringMatching(/admin/) } });
    expect(await scopesOf("rob@example.com")).not.toContain(SCOPE);
    expect((await server.call("POST", `/v1/approvals/${approval}`, { decision: "approve" })).status).toBe(
      200,
    );
    await vi.waitFor(async () => expect(await scopesOf("rob@example.com")).toContain(SCOPE), {
      timeout: 20_000,
    });
  });
});

describe("an approval would be used for something else than was asked", () => {
  async function asked() {
    const agent = await server.call(
      "POST",
      "/v1/agents",
      {
        name: "Clerk",
        capabilities: ["test_math"],
        tool_policies: { add: "approve" },
      },
      author,
    );
    const call = { input: { a: 1, b: 2 }, agent_id: agent.body.id };
    const answer = await server.call("POST", "/v1/capabilities/test_math/tools/add", call, author);
    return { agentId: agent.body.id, id: answer.body.approval_id ?? answer.body.details?.approvalId };
  }

  test("after the agent was changed: the answer does not count, and the person is asked again", async () => {
    const { agentId, id } = await asked();
    await server.call("PATCH", `/v1/agents/${agentId}`, { system_prompt: "Now something else." }, author);
    const first = await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" }, author);
    expect(first).toMatchObject({ status: 409, body: { code: "approval_changed" } });
    const again = await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" }, author);
    expect(again).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  test("by somebody it was escalated to, with other arguments", async () => {
    const { id } = await asked();
    await server.services.database.pool.query("update approvals set assignee = $2 where id = $1", [
      id,
      "bob@example.com",
    ]);
    const edited = { decision: "approve", edited_args: { a: 40, b: 2 } };
    expect((await server.call("POST", `/v1/approvals/${id}`, edited, other)).status).toBe(403);
    expect((await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" }, other)).status).toBe(
      200,
    );
  });
});

describe("a token would have more rights than its agent", () => {
  test("on loopback, where no key is needed", async () => {
    const agent = await server.call("POST", "/v1/agents", { name: "T", capabilities: ["test_math"] });
    const made = await server.call("POST", `/v1/agents/${agent.body.id}/tokens`, { name: "t" });
    const asToken = { authorization: `Bearer ${made.body.token}` };
    for (const [method, path, body] of [
      ["GET", "/v1/agents"],
      ["GET", "/v1/audit"],
      ["POST", "/v1/keys", { name: "mine", rights: ["admin"] }],
    ] as const)
      expect((await server.call(method, path, body, asToken)).status, path).toBe(403);
  });
});

describe("a token limited to a number of calls", () => {
  const tokenOf = async (agentId: string, max_calls: number) =>
    (await server.call("POST", `/v1/agents/${agentId}/tokens`, { name: "t", max_calls })).body
      .token as string;
  const askAgent = async (token: string, input: object) => {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "ask_agent", arguments: input },
    };
    const { body } = await server.call("POST", "/mcp", call, {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      authorization: `Bearer ${token}`,
    });
    return typeof body === "string" ? body : JSON.stringify(body);
  };

  test("would ask its agent as often as it likes, who calls for it", async () => {
    llm.script = () => ({ text: ["Aye."] });
    const agent = await server.call("POST", "/v1/agents", { name: "T", capabilities: ["test_math"] });
    const token = await tokenOf(agent.body.id, 1);
    expect(await askAgent(token, { message: "hello" })).toContain("Aye.");
    expect(await askAgent(token, { message: "again" })).toContain("budget_exhausted");
  });

  test("would read what somebody else's token said to the agent, by the thread's name", async () => {
    llm.script = ({ messages }) => ({ text: [JSON.stringify(messages)] });
    const agent = await server.call("POST", "/v1/agents", { name: "T", capabilities: ["test_math"] });
    const [one, two] = [await tokenOf(agent.body.id, 5), await tokenOf(agent.body.id, 5)];
    await askAgent(one, { message: "The word is heron.", thread: "weekly" });
    expect(await askAgent(one, { message: "Which word?", thread: "weekly" })).toContain("heron");
    expect(await askAgent(two, { message: "Which word?", thread: "weekly" })).not.toContain("heron");
    llm.script = () => ({ text: ["Aye."] });
  });
});

describe("a file of the machine would be read as an attachment", () => {
  test.each(["/../../../../etc/passwd", "/a/../../etc/passwd", "../secret.key"])(
    "by the path %s",
    async (path) => {
      const session = await server.call("POST", "/v1/sessions", {}, author);
      const content = [{ type: "file", media_type: "text/plain", path }];
      const answer = await server.call(
        "POST",
        `/v1/sessions/${session.body.id}/messages`,
        { content },
        author,
      );
      expect(answer).toMatchObject({ status: 422, body: { code: "input_invalid" } });
    },
  );
});

describe("somebody else's triggers and schedules", () => {
  test("would be listed, retried or dropped", async () => {
    const schedule = { capability: "test_math", cron: "0 0 1 1 *" };
    const made = await server.call("POST", "/v1/schedules", schedule, author);
    expect(made.status).toBe(201);
    const root = join(server.services.settings.CAPSTAN_DATA_DIR, "triggers", "test_math");
    const id = "trigger-of-ann";
    await mkdir(root, { recursive: true });
    await mkdir(join(root, "failed"), { recursive: true });
    const trigger = {
      id,
      type: "x",
      user: "ann@example.com",
      created_at: new Date().toISOString(),
      payload: {},
    };
    await writeFile(join(root, "failed", `${id}.json`), JSON.stringify(trigger));
    const seen = async (who: Who, path: string) =>
      (await server.call("GET", path, undefined, who)).body.items;
    expect(await seen(other, "/v1/schedules")).toEqual([]);
    expect(await seen(author, "/v1/schedules")).toHaveLength(1);
    expect(await seen(other, "/v1/triggers")).toEqual([]);
    for (const verb of ["retry", "drop"])
      expect((await server.call("POST", `/v1/triggers/${id}/${verb}`, undefined, other)).status).toBe(404);
    await readFile(join(root, "failed", `${id}.json`));
  });
});

describe("a large body would be read from somebody who may not send it", () => {
  test.each<[string, Who | undefined, number]>([
    ["/v1/packages", undefined, 403],
    ["/nothing/files/x", {}, 413],
  ])("at %s", async (path, who, status) => {
    const body = "x".repeat(5 * 1024 * 1024);
    const method = path.includes("files") ? "PUT" : "POST";
    const answer = await server.call(method, path, body, who ?? { ...runner, "content-type": "text/plain" });
    expect([status, 413]).toContain(answer.status);
  });

  test("as JSON that is nothing but depth, under another content type", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const response = await fetch(`${server.url}/api/execute-task`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: deep,
    });
    expect(response.status).toBe(400);
    expect((await response.json()).code).toBe("body_invalid");
  });
});

test("one key would hold every stream of the process", async () => {
  const session = await server.call("POST", "/v1/sessions", {}, runner);
  const stop = new AbortController();
  const open = () =>
    fetch(`${server.url}/v1/sessions/${session.body.id}/events`, { headers: runner, signal: stop.signal });
  const streams = [await open(), await open(), await open()];
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 429]);
  stop.abort();
  await vi.waitFor(async () => {
    const again = new AbortController();
    const headers = runner;
    const answer = await fetch(`${server.url}/v1/sessions/${session.body.id}/events`, {
      headers,
      signal: again.signal,
    });
    again.abort();
    expect(answer.status).toBe(200);
  });
});

test("trigger files would be read by other users of the machine", async () => {
  const { writeWhole } = await import("../../../runtime/src/triggers/atomic-files.ts");
  const path = join(server.services.settings.CAPSTAN_DATA_DIR, "triggers", "mode.json");
  await writeWhole(path, "{}");
  expect((await stat(path)).mode & 0o077).toBe(0);
});

async function keyOf(right: string, owner: string): Promise<Who> {
  const { body } = await server.call("POST", "/v1/keys", { name: owner, owner, rights: [right] });
  return { authorization: `Bearer ${body.key}` };
}
