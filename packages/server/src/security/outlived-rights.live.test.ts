/**
 * What a person once gave out, and what a person once was: tokens, logins, links and schedules are worth what their owner is
 * now, and a client that somebody allowed reaches its own conversations alone.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  browse,
  CookieJar,
  comeBack,
  type TestProvider,
  testProvider,
} from "../../../../tools/openid-provider.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Headers = Record<string, string>;
const SAID = "the code of the safe is 4711";
const VERIFIER = "v".repeat(43);

describe.each(STORES)("on $name", ({ fresh }) => {
  let op: TestProvider;
  let llm: ScriptedLlm;
  let server: TestServer;
  let owner: Headers;
  beforeAll(async () => {
    op = await testProvider([]);
    llm = await scriptedLlm(() => ({ text: ["Aye."] }));
    const store = await fresh();
    server = await testServer(store, {
      ...llmEnvironment(llm),
      CAPSTAN_OIDC_ISSUER: op.issuer,
      CAPSTAN_OIDC_CLIENT_ID: op.clientId,
      CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    });
    await op.allow(server.url);
    owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
    await op?.close();
  });

  const giveRole = async (name: string, role: string) =>
    (await server.call("POST", "/v1/roles", { claim: "groups", value: name, role }, owner)).body.id as string;

  /** Somebody with a role and an agent, who said something to it. */
  async function somebody(name: string) {
    const email = `${name}@example.com`;
    op.people.set(name, { sub: name, email, email_verified: true, groups: [name] });
    const role = await giveRole(name, "author");
    const jar = new CookieJar();
    await browse(jar, await comeBack(jar, new URL("/login", server.url), name));
    const page = {
      cookie: `capstan-login=${jar.of(server.url).get("capstan-login")}`,
      origin: server.url,
    };
    const made = {
      name,
      capabilities: ["session_file_system", "test_math"],
      tool_policies: { add: "approve" },
    };
    const agent = (await server.call("POST", "/v1/agents", made, page)).body.id as string;
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent }, page)).body.id as string;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: SAID }, page);
    const status = async () =>
      (await server.call("GET", `/v1/runs/${sent.body.run_id}`, undefined, page)).body.status;
    await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
    return { email, role, page, agent, session, run: sent.body.run_id as string };
  }

  /** A client that this person allowed to use this agent, at one address. */
  async function client(agentId: string, userEmail: string, path: string): Promise<Headers> {
    const [clientId, redirectUri] = ["client", "http://127.0.0.1:9/callback"];
    const { code } = await server.services.clientLogins.allow({
      clientId,
      clientName: "Client",
      redirectUri,
      resource: server.url + path,
      scopes: ["tools"],
      agentId,
      userEmail,
      codeChallenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    });
    const proof = { code, verifier: VERIFIER, clientId, redirectUri };
    const issued = await server.services.clientLogins.exchangeCode(proof);
    if ("refused" in issued) throw new Error(issued.refused);
    return { authorization: `Bearer ${issued.accessToken}` };
  }

  const aguiBody = (threadId: string, id: string = crypto.randomUUID()) => ({
    threadId,
    runId: crypto.randomUUID(),
    state: {},
    messages: [{ id, role: "user", content: "hello" }],
    tools: [],
    context: [],
    forwardedProps: {},
  });
  const a2a = (agent: string, who: Headers, method: string, params: object) =>
    server.call(
      "POST",
      `/v1/agents/${agent}/a2a`,
      { jsonrpc: "2.0", id: 1, method, params },
      { ...who, "a2a-version": "1.0" },
    );
  const said = (text: string) => ({
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] },
  });

  test("a client that may use an agent would read what the person says to it elsewhere", async () => {
    const { email, agent, session, run, page } = await somebody("ann");
    const [agui, tasks, sdk, openai] = await Promise.all([
      client(agent, email, `/v1/agents/${agent}/ag-ui`),
      client(agent, email, `/v1/agents/${agent}/a2a`),
      client(agent, email, `/v1/agents/${agent}/ai-sdk`),
      client(agent, email, "/openai/v1"),
    ]);
    await a2a(agent, tasks, "SendMessage", said("mine"));
    const listed = (await a2a(agent, tasks, "ListTasks", { historyLength: 9 })).body.result;
    expect(listed.totalSize).toBe(1); // its own
    expect(JSON.stringify(listed)).not.toContain(SAID);
    expect((await a2a(agent, tasks, "GetTask", { id: run })).body.error.message).toContain(run);
    const message = { ...said("go on").message, contextId: session };
    expect((await a2a(agent, tasks, "SendMessage", { message })).body.error).toBeDefined();
    const path = `/v1/agents/${agent}/ag-ui`;
    expect((await server.call("POST", path, aguiBody(session), agui)).status).toBe(404);
    expect((await server.call("POST", `${path}/cancel`, { threadId: session }, agui)).status).toBe(422);
    const chat = {
      id: session,
      messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }],
    };
    expect((await server.call("POST", `/v1/agents/${agent}/ai-sdk`, chat, sdk)).status).toBe(404);
    const response = { model: agent, input: "hello", previous_response_id: `resp_${run}` };
    expect((await server.call("POST", "/openai/v1/responses", response, openai)).status).toBe(404);
    const history = [
      { role: "user", content: SAID },
      { role: "assistant", content: "Aye." },
      { role: "user", content: "and the files?" },
    ];
    await server.call(
      "POST",
      "/openai/v1/chat/completions",
      { model: agent, messages: history.slice(0, 1) },
      page,
    );
    const asked = { model: agent, messages: history };
    const found = await server.call("POST", "/openai/v1/chat/completions", asked, openai);
    const begun = await server.call(
      "GET",
      `/v1/sessions/${found.headers.get("x-capstan-session")}`,
      undefined,
      page,
    );
    expect(begun.body.metadata.client_login).toEqual(expect.any(String)); // a conversation of its own, not the person's
  });

  test("a thread of the same name would be another client's conversation, or one that the person copied", async () => {
    const { email, agent, page } = await somebody("bea");
    const path = `/v1/agents/${agent}/ag-ui`;
    const [one, other] = [await client(agent, email, path), await client(agent, email, path)];
    const of = async (who: Headers, thread: string) =>
      (await server.call("POST", path, aguiBody(thread), who)).headers.get("x-capstan-session");
    const first = await of(one, "main");
    expect(await of(one, "main")).toBe(first); // it finds its own again
    expect(await of(other, "main")).not.toBe(first);
    expect((await server.call("POST", path, aguiBody(first ?? ""), other)).status).toBe(404);
    const copy = await server.call("POST", `/v1/sessions/${first}/fork`, {}, page);
    expect(copy.status, JSON.stringify(copy.body)).toBe(201);
    expect((await server.call("POST", path, aguiBody(copy.body.id), one)).status).toBe(404);
    const claimed = { metadata: { client_login: "mine" } };
    expect((await server.call("PATCH", `/v1/sessions/${first}`, claimed, page)).status).toBe(422);
  });

  test("who may only read any more would still run agents: by a token, a client, a schedule or an old question", async () => {
    const { email, role, agent, session, page } = await somebody("cleo");
    const [mcp, agui] = [
      await client(agent, email, "/mcp"),
      await client(agent, email, `/v1/agents/${agent}/ag-ui`),
    ];
    const made = await server.call("POST", `/v1/agents/${agent}/tokens`, { name: "t" }, page);
    const token = { authorization: `Bearer ${made.body.token}` };
    const call = { input: { a: 1, b: 2 }, agent_id: agent, session_id: session };
    const asked = await server.call("POST", "/v1/capabilities/test_math/tools/add", call, page);
    const approval = asked.body.approval_id ?? asked.body.details?.approvalId;
    const schedule = await server.call(
      "POST",
      "/v1/schedules",
      { capability: "test_math", cron: "0 0 1 1 *" },
      page,
    );
    const write = { name: "write_file", arguments: { path: "/x.txt", content: "x" } };
    const overMcp = (who: Headers) =>
      server.call(
        "POST",
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: write },
        { ...who, accept: "application/json, text/event-stream" },
      );
    expect([(await overMcp(token)).status, (await overMcp(mcp)).status]).toEqual([200, 200]);

    await server.call("DELETE", `/v1/roles/${role}`, undefined, owner);
    await giveRole("cleo", "read");
    await vi.waitFor(
      async () => expect((await server.call("GET", "/v1/me", undefined, page)).body.rights).toEqual(["read"]),
      { timeout: 5000 },
    );

    for (const who of [token, mcp])
      expect(await overMcp(who)).toMatchObject({ status: 403, body: { code: "user_may_not_run" } });
    expect((await server.call("POST", `/v1/agents/${agent}/ag-ui`, aguiBody("t"), agui)).status).toBe(403);
    const answer = await server.call("POST", `/v1/approvals/${approval}`, { decision: "approve" }, owner);
    expect(answer).toMatchObject({ status: 403, body: { code: "user_may_not_run" } });
    const fired = await server.call("POST", `/v1/schedules/${schedule.body.id}/run`, undefined, owner);
    await vi.waitFor(async () => {
      const { body } = await server.call("GET", `/v1/triggers?user=${email}`, undefined, owner);
      const trigger = body.items.find(({ id }: { id: string }) => id === fired.body.trigger_id);
      expect(trigger.attempts).toBeGreaterThan(0);
    }, 20_000);
    const runs = `/v1/runs?session_id=${fired.body.session_id}`;
    expect((await server.call("GET", runs, undefined, owner)).body.items).toEqual([]);
    expect((await server.call("GET", `/v1/agents/${agent}/preview`, undefined, page)).status).toBe(200); // reading stays
  });

  test("a link that somebody made would show the session after they left", async () => {
    const { email, session, page } = await somebody("dora");
    const { body } = await server.call("POST", `/v1/sessions/${session}/links`, { hours: 5 }, page);
    const link = { "capstan-link": body.url.split("#")[1] };
    const seen = async () => (await server.call("GET", "/v1/shared", undefined, link)).status;
    expect(await seen()).toBe(200);
    await server.call("PUT", `/v1/users/${email}`, { disabled: true }, owner);
    expect(await seen()).toBe(404);
  });

  test("a link that an admin made would show somebody's session after they stopped being one", async () => {
    const { session } = await somebody("flora");
    const { email, page } = await somebody("gregor");
    const role = await giveRole("gregor", "admin");
    const made = await server.call("POST", `/v1/sessions/${session}/links`, { hours: 5, files: true }, page);
    expect(made.status).toBe(201);
    const link = { "capstan-link": made.body.url.split("#")[1] };
    const seen = async () => (await server.call("GET", "/v1/shared", undefined, link)).status;
    expect(await seen()).toBe(200);
    await server.call("DELETE", `/v1/roles/${role}`, undefined, owner);
    expect((await server.call("GET", `/v1/users/${email}`, undefined, owner)).body.role).toBe("author");
    expect(await seen()).toBe(404);
    expect((await server.call("GET", "/v1/shared/file?path=/a.txt", undefined, link)).body.code).toBe(
      "not_found",
    );
  });
});
