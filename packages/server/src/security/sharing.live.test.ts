/** Agents that are private or shared, over every protocol, and sessions shared by a link: what each would let in. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { searchForTokens } from "../fixtures/leaked-tokens.ts";

type Headers = Record<string, string>;

/** On loopback. */
const ADMIN: Headers = {};
const TOOL_SECRET = "what-only-the-tool-saw";
const sent: string[] = [];
const post = defineCapability({
  id: "post_office",
  name: "Post office",
  description: "Sends letters.",
  tools: [
    defineTool({
      name: "send_letter",
      description: "Sends a letter.",
      policy: "approve",
      input: z.object({ to: z.string() }),
      run({ to }) {
        sent.push(to);
        return ok({ sent_to: to, receipt: TOOL_SECRET });
      },
    }),
    defineTool({ name: "count", description: "Counts.", input: z.object({}), run: () => ok(TOOL_SECRET) }),
  ],
});

describe.each(STORES)("sharing on $name", ({ fresh }) => {
  let server: TestServer;
  let store: FreshStore;
  let owner: Headers;
  let mia: Headers;
  let tom: Headers;
  let agent: string;
  beforeAll(async () => {
    const model = scriptedModel((call, step) => {
      const last = JSON.stringify(call.prompt.filter(({ role }) => role === "user").at(-1));
      if (step > 0) return [{ text: "It is done." }];
      if (last.includes("send")) return [{ call: "send_letter", input: { to: "grandma" } }];
      return last.includes("count") ? [{ call: "count", input: {} }] : [{ text: "Hello." }];
    });
    store = await fresh();
    server = await testServer(
      store,
      { CAPSTAN_PUBLIC_URL: "https://capstan.example" },
      { models: { "test/scripted": model }, config: { capabilities: [post] } },
    );
    owner = await key("owner@example.com");
    mia = await key("mia@example.com");
    tom = await key("tom@example.com");
    const made = await server.call(
      "POST",
      "/v1/agents",
      { name: "Postman", capabilities: ["post_office"], model: "test/scripted" },
      owner,
    );
    agent = made.body.id;
  });
  afterAll(() => server?.stop());

  const key = async (email: string): Promise<Headers> => {
    const made = await server.call("POST", "/v1/keys", { name: email, owner: email, rights: ["author"] });
    return { authorization: `Bearer ${made.body.key}` };
  };
  const share = (body: object, who = owner) => server.call("PUT", `/v1/agents/${agent}/shares`, body, who);
  const sharedWith = (name: string, ...rights: string[]) =>
    share({ access: "shared", shares: [{ with: `user:${name}@example.com`, rights }] });
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
  const MCP = { accept: "application/json, text/event-stream" };

  /** What somebody sees of the agent, by every way in. */
  const seenBy = async (who: Headers): Promise<Record<string, boolean>> => {
    const call = async (method: string, path: string, body?: object, more: Headers = {}) =>
      server.call(method, path, body, { ...who, ...more });
    const message = {
      kind: "message",
      messageId: uuidv7(),
      role: "user",
      parts: [{ kind: "text", text: "hi" }],
    };
    const run = {
      threadId: uuidv7(),
      runId: uuidv7(),
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
    };
    const said = [{ id: uuidv7(), role: "user", content: "hi" }];
    const answers = {
      list: await call("GET", "/v1/agents"),
      one: await call("GET", `/v1/agents/${agent}`),
      preview: await call("GET", `/v1/agents/${agent}/preview`),
      session: await call("POST", "/v1/sessions", { agent_id: agent }),
      tool: await call("POST", "/v1/capabilities/post_office/tools/count", { agent_id: agent, input: {} }),
      token: await call("POST", `/v1/agents/${agent}/tokens`, { name: "t" }),
      mcp: await call("POST", `/mcp?agent=${agent}`, rpc("tools/list"), MCP),
      card: await call("GET", `/v1/agents/${agent}/a2a/agent-card.json`),
      named: await call("GET", `/.well-known/agent-card.json?agent=${agent}`),
      a2a: await call("POST", `/v1/agents/${agent}/a2a`, rpc("message/send", { message })),
      agUi: await call("POST", `/v1/agents/${agent}/ag-ui`, { ...run, messages: said }),
      models: await call("GET", "/openai/v1/models"),
      chat: await call("POST", "/openai/v1/chat/completions", {
        model: agent,
        messages: [{ role: "user", content: "hi" }],
      }),
      byName: await call("POST", "/openai/v1/chat/completions", {
        model: "Postman",
        messages: [{ role: "user", content: "hi" }],
      }),
      usedBy: await call("GET", "/v1/capabilities/post_office"),
    };
    const named = new Set(["list", "models", "usedBy"]);
    return Object.fromEntries(
      Object.entries(answers).map(([name, { status, body }]) => [
        name,
        status < 300 && (!named.has(name) || JSON.stringify(body).includes("Postman")),
      ]),
    );
  };
  const everywhere = (isSeen: boolean) => (seen: Record<string, boolean>) =>
    Object.entries(seen).filter(([, found]) => found !== isSeen);

  test("an agent without sharing settings can still be used by everyone", async () => {
    expect(everywhere(true)(await seenBy(mia))).toEqual([]);
  });

  test("a private agent would be found by another user, by one of fifteen ways in", async () => {
    expect((await share({ access: "private" })).status).toBe(200);
    expect(everywhere(false)(await seenBy(mia))).toEqual([]);
    expect(everywhere(false)(await seenBy({ "x-forwarded-for": "192.0.2.1" }))).toEqual([]);
    expect(everywhere(true)(await seenBy(owner))).toEqual([]);
    expect(everywhere(true)(await seenBy({}))).toEqual([]); // an admin's is everybody's
  });

  test("an agent shared with one would be found by another", async () => {
    await sharedWith("mia", "use");
    expect(everywhere(true)(await seenBy(mia))).toEqual([]);
    expect(everywhere(false)(await seenBy(tom))).toEqual([]);
  });

  test("who may use it would list the tasks of its other users over A2A", async () => {
    await sharedWith("mia", "use");
    const tasksOf = async (who: Headers) => {
      const version = { "a2a-version": "1.0" };
      const asked = await server.call("POST", `/v1/agents/${agent}/a2a`, rpc("ListTasks"), {
        ...who,
        ...version,
      });
      return (asked.body.result.tasks as { id: string }[]).map(({ id }) => id);
    };
    const [hers, others] = [await tasksOf(mia), await tasksOf(owner)];
    expect([hers.length > 0, others.length > 0]).toEqual([true, true]);
    expect(hers.filter((id) => others.includes(id))).toEqual([]);
  });

  test.each(["groups=staff", "https://corp.example/groups=staff", "memberOf=CN=Admins,OU=Groups"])(
    "a group is named as in roles: %s",
    async (group) => {
      const shares = [{ with: `group:${group}`, rights: ["use"] }];
      expect(await share({ access: "shared", shares })).toMatchObject({ status: 200, body: { shares } });
    },
  );

  test("who may use it would change, delete or share it", async () => {
    await sharedWith("mia", "use");
    const attempts = [
      await server.call("PATCH", `/v1/agents/${agent}`, { description: "mine" }, mia),
      await server.call("DELETE", `/v1/agents/${agent}`, undefined, mia),
      await share({ access: "all" }, mia),
      await server.call("GET", `/v1/agents/${agent}/shares`, undefined, mia),
      await server.call("POST", `/v1/agents/${agent}/labels`, { label: "draft", revision: 1 }, mia),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  test("who may change it would use, delete or share it", async () => {
    await sharedWith("tom", "change");
    const changed = await server.call("PATCH", `/v1/agents/${agent}`, { description: "by tom" }, tom);
    expect(changed).toMatchObject({
      status: 200,
      body: { description: "by tom", owner: "owner@example.com" },
    });
    expect((await server.call("GET", `/v1/agents/${agent}`, undefined, tom)).status).toBe(200);
    expect((await server.call("POST", "/v1/sessions", { agent_id: agent }, tom)).status).toBe(422);
    expect(
      (await server.call("POST", `/mcp?agent=${agent}`, rpc("tools/list"), { ...tom, ...MCP })).status,
    ).toBe(404);
    const token = await server.call("POST", `/v1/agents/${agent}/tokens`, { name: "t" }, tom);
    expect(token.status).toBe(404);
    const models = await server.call("GET", "/openai/v1/models", undefined, tom);
    expect(JSON.stringify(models.body)).not.toContain("Postman");
    expect((await server.call("DELETE", `/v1/agents/${agent}`, undefined, tom)).status).toBe(403);
    expect((await share({ access: "all" }, tom)).status).toBe(403);
  });

  const ask = async (who: Headers, content: string) => {
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent }, who)).body.id;
    const message = await server.call("POST", `/v1/sessions/${session}/messages`, { content }, who);
    const status = async () =>
      (await server.call("GET", `/v1/runs/${message.body.run_id}`, undefined, who)).body.status;
    await vi.waitFor(async () => expect(await status()).toMatch(/done|waiting|failed/), { timeout: 20_000 });
    return { session, status };
  };

  test("who may approve would see more than the questions, or change what is asked", async () => {
    const shares = [
      { with: "user:mia@example.com", rights: ["use"] },
      { with: "user:tom@example.com", rights: ["approve"] },
    ];
    await share({ access: "shared", shares }, ADMIN);
    const asking = await ask(mia, "send it");
    const seen = (await server.call("GET", "/v1/approvals?status=pending", undefined, tom)).body.items;
    expect(seen).toEqual([expect.objectContaining({ tool: "send_letter" })]);
    const at = `/v1/approvals/${seen[0].id}`;
    const edited = { decision: "approve", edited_args: { to: "tom" } };
    expect((await server.call("POST", at, edited, tom)).status).toBe(403);
    expect((await server.call("GET", `/v1/sessions/${asking.session}`, undefined, tom)).status).toBe(404);
    expect(
      (await server.call("POST", at, { decision: "approve" }, await key("eve@example.com"))).status,
    ).toBe(404);
    expect((await server.call("GET", at, undefined, owner)).status).toBe(404);
    expect((await server.call("POST", at, { decision: "approve" }, tom)).status).toBe(200);
    await expect.poll(asking.status, { timeout: 20_000 }).toBe("done");
    expect(sent.at(-1)).toBe("grandma");
  });

  test("what is no longer shared would go on: sessions, an agent's token, a waiting question", async () => {
    const shares = [{ with: "user:mia@example.com", rights: ["use", "approve"] }];
    await share({ access: "shared", shares }, ADMIN);
    const token = (await server.call("POST", `/v1/agents/${agent}/tokens`, { name: "t" }, mia)).body.token;
    const bearer = { authorization: `Bearer ${token}`, ...MCP };
    const tools = async () => (await server.call("POST", "/mcp", rpc("tools/list"), bearer)).status;
    expect(await tools()).toBe(200);
    const asking = await ask(mia, "send it");
    const [question] = (await server.call("GET", "/v1/approvals?status=pending", undefined, mia)).body.items;
    const letters = sent.length;
    await share({ access: "private" });
    expect(await tools()).toBe(404);
    await server.call("POST", `/v1/approvals/${question.id}`, { decision: "approve" }, mia);
    await server.call("POST", `/v1/sessions/${asking.session}/messages`, { content: "count" }, mia);
    expect(sent).toHaveLength(letters);
    await server.call("POST", `/v1/approvals/${question.id}`, { decision: "deny" }, mia);
  });

  test("a group would let in who is not in it", async () => {
    await server.services.database.pool.query(
      `insert into identities (issuer, subject, user_email, name, claims) values
        ('https://login.example', '1', 'mia@example.com', 'Mia', '{"groups":["post"]}'),
        ('https://login.example', '2', 'tom@example.com', 'Tom', '{"groups":["other"]}')`,
    );
    await server.call("POST", "/v1/roles", { claim: "groups", value: "post", role: "author", scopes: [] });
    await server.call("POST", "/v1/roles", { claim: "groups", value: "other", role: "author", scopes: [] });
    await share({ access: "shared", shares: [{ with: "group:groups=post", rights: ["use"] }] });
    const found = async (who: Headers) =>
      (await server.call("GET", `/v1/agents/${agent}`, undefined, who)).status;
    expect([await found(mia), await found(tom)]).toEqual([200, 404]);
    const listed = async (who: Headers) =>
      (await server.call("GET", "/v1/agents", undefined, who)).body.total;
    expect([await listed(mia), await listed(tom)]).toEqual([1, 0]);
  });

  test.each([
    ["a private agent with shares", { access: "private", shares: [{ with: "user:a@b.c", rights: ["use"] }] }],
    ["somebody without an address", { access: "shared", shares: [{ with: "mia", rights: ["use"] }] }],
    ["a right that is none", { access: "shared", shares: [{ with: "user:a@b.c", rights: ["own"] }] }],
    ["a share without a right", { access: "shared", shares: [{ with: "user:a@b.c", rights: [] }] }],
    ["an unknown field", { access: "all", shares: [], forever: true }],
  ])("%s would be stored", async (_, body) => {
    expect((await share(body)).status).toBe(422);
  });

  describe("a session shared by a link", () => {
    let session: string;
    const OUTSIDE = { "x-forwarded-for": "192.0.2.1" }; // whoever has no key
    const link = async (body: object = {}) =>
      (await server.call("POST", `/v1/sessions/${session}/links`, body, owner)).body;
    const secretOf = ({ url }: { url: string }) => new URL(url).hash.slice(1);
    const read = (secret: string, path = "/v1/shared") =>
      server.call("GET", path, undefined, { ...OUTSIDE, "capstan-link": secret });
    beforeAll(async () => {
      await share({ access: "private" });
      session = (await ask(owner, "count the letters")).session;
      await server.call("PUT", `/v1/sessions/${session}/files/notes/a.txt`, undefined, owner);
    });

    test("would show calls of tools, what they returned, or any id", async () => {
      const made = await link();
      expect(made.url).toMatch(/^https:\/\/capstan\.example\/shared#[\w-]{43}$/);
      const shown = await read(secretOf(made));
      expect(shown).toMatchObject({
        status: 200,
        body: {
          agent: "Postman",
          files: null,
          messages: [
            { role: "user", text: "count the letters" },
            { role: "assistant", text: "It is done." },
          ],
        },
      });
      const text = JSON.stringify(shown.body);
      for (const hidden of [TOOL_SECRET, "tool", session, agent, "owner@example.com"])
        expect(text.includes(hidden), hidden).toBe(false);
    });

    test("would work without its secret, after its end, or when it was revoked", async () => {
      const made = await link({ hours: 1 });
      const secret = secretOf(made);
      const { pool } = server.services.database;
      for (const wrong of ["", "a", secret.slice(1), `${secret.slice(0, -1)}_`, made.id, "' or true --"])
        expect((await read(wrong)).status, wrong).toBe(404);
      await pool.query("update session_links set expires_at = now() where id = $1", [made.id]);
      expect((await read(secret)).status).toBe(404);
      const other = await link();
      expect(
        (await server.call("DELETE", `/v1/sessions/${session}/links/${other.id}`, undefined, owner)).status,
      ).toBe(204);
      expect((await read(secretOf(other))).status).toBe(404);
      const { items } = (await server.call("GET", `/v1/sessions/${session}/links`, undefined, owner)).body;
      expect(items.slice(0, 2).map(({ status }: { status: string }) => status)).toEqual(["revoked", "ended"]);
      expect(await searchForTokens(server, store, [secret])).toEqual([]);
    });

    test("would show files that nobody chose to show, or those of another session", async () => {
      const without = secretOf(await link());
      const withFiles = secretOf(await link({ files: true }));
      const at = (path: string) => `/v1/shared/file?path=${encodeURIComponent(path)}`;
      expect((await read(without, at("/notes/a.txt"))).status).toBe(404);
      expect((await read(withFiles)).body.files).toEqual([
        { path: "/notes/a.txt", size: expect.any(Number) },
      ]);
      const file = await read(withFiles, at("/notes/a.txt"));
      expect(file.status).toBe(200);
      for (const path of ["/../../etc/passwd", "/nothing", "notes/../../x"])
        expect((await read(withFiles, at(path))).status, path).toBeGreaterThanOrEqual(400);
    });

    test("would let its reader post, list, or do anything that a key may", async () => {
      const secret = secretOf(await link({ files: true }));
      const ways: [string, string, object?][] = [
        ["POST", `/v1/sessions/${session}/messages`, { content: "hi" }],
        ["GET", `/v1/sessions/${session}/messages`],
        ["GET", `/v1/sessions/${session}/events`],
        ["GET", `/v1/sessions/${session}/links`],
        ["PUT", `/v1/sessions/${session}/files/b.txt`, {}],
        ["GET", "/v1/sessions"],
        ["POST", "/v1/shared", {}],
        ["DELETE", "/v1/shared"],
      ];
      for (const [method, path, body] of ways)
        for (const headers of [{ "capstan-link": secret }, { authorization: `Bearer ${secret}` }]) {
          const { status } = await server.call(method, path, body, { ...OUTSIDE, ...headers });
          expect([401, 403, 404, 405], `${method} ${path}`).toContain(status);
        }
    });

    test("would be made, listed or ended by somebody else", async () => {
      const made = await link();
      const at = `/v1/sessions/${session}/links`;
      expect((await server.call("POST", at, {}, mia)).status).toBe(404);
      expect((await server.call("GET", at, undefined, mia)).status).toBe(404);
      expect((await server.call("DELETE", `${at}/${made.id}`, undefined, mia)).status).toBe(404);
      expect((await read(secretOf(made))).status).toBe(200);
    });
  });
});
