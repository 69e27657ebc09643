/** A user who is disabled loses all access: everything they created stops working. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
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

const calls: string[] = [];
const lamp = defineCapability({
  id: "lamp",
  name: "Lamp",
  description: "A lamp.",
  tools: [
    defineTool({
      name: "shine",
      description: "Shines.",
      scopes: ["Lamp.Use"],
      input: z.object({}),
      run: (_input, { user }) => {
        calls.push(user.email);
        return ok("bright");
      },
    }),
  ],
});

describe.each(STORES)("on $name", ({ fresh }) => {
  let op: TestProvider;
  let llm: ScriptedLlm;
  let server: TestServer;
  let owner: Record<string, string>;
  beforeAll(async () => {
    op = await testProvider([]);
    llm = await scriptedLlm(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: ["Done."] }
        : { calls: [{ id: crypto.randomUUID(), name: "shine", input: {} }] },
    );
    const store = await fresh();
    server = await testServer(store, {
      ...llmEnvironment(llm),
      CAPSTAN_OIDC_ISSUER: op.issuer,
      CAPSTAN_OIDC_CLIENT_ID: op.clientId,
      CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    });
    server.services.registry.register(lamp);
    await op.allow(server.url);
    owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
    await op?.close();
  });

  async function signIn(name: string): Promise<Record<string, string>> {
    const jar = new CookieJar();
    await browse(jar, await comeBack(jar, new URL("/login", server.url), name));
    return { cookie: `capstan-login=${jar.of(server.url).get("capstan-login")}`, origin: server.url };
  }

  /** Somebody with a role, and everything that acts for them. */
  async function somebody(name: string) {
    const email = `${name}@example.com`;
    op.people.set(name, { sub: name, email, email_verified: true, groups: [`of-${name}`] });
    const rule = { claim: "groups", value: `of-${name}`, role: "author", scopes: ["Lamp.Use"] };
    const role = (await server.call("POST", "/v1/roles", rule, owner)).body.id;
    const page = await signIn(name);
    const agent = await server.call(
      "POST",
      "/v1/agents",
      { name, capabilities: ["lamp"], granted_scopes: ["Lamp.Use"], tool_policies: { shine: "approve" } },
      page,
    );
    expect(agent.status, JSON.stringify(agent.body)).toBe(201);
    const key = await server.call("POST", "/v1/keys", { name, owner: email, rights: ["admin"] }, owner);
    const token = await server.call("POST", `/v1/agents/${agent.body.id}/tokens`, { name }, page);
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id }, page);
    await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "shine" }, page);
    const pending = () => server.call("GET", "/v1/approvals?status=pending", undefined, page);
    await vi.waitFor(async () => expect((await pending()).body.items).toHaveLength(1), { timeout: 20_000 });
    const schedule = { capability: "lamp", cron: "0 0 1 1 *" };
    return {
      email,
      groupName: `of-${name}`,
      role,
      page,
      agentId: agent.body.id as string,
      key: { authorization: `Bearer ${key.body.key}` },
      token: { authorization: `Bearer ${token.body.token}` },
      client: { authorization: `Bearer ${await clientToken(agent.body.id, email)}` },
      sessionId: session.body.id as string,
      approval: (await pending()).body.items[0].id as string,
      schedule: (await server.call("POST", "/v1/schedules", schedule, page)).body.id as string,
    };
  }

  async function clientToken(agentId: string, userEmail: string): Promise<string> {
    const verifier = "v".repeat(43);
    const [clientId, redirectUri] = ["client", "http://127.0.0.1:9/callback"];
    const { code } = await server.services.clientLogins.allow({
      clientId,
      clientName: "Client",
      redirectUri,
      resource: `${server.url}/v1/agents/${agentId}/ag-ui`,
      scopes: ["tools"],
      agentId,
      userEmail,
      codeChallenge: createHash("sha256").update(verifier).digest("base64url"),
    });
    const issued = await server.services.clientLogins.exchangeCode({ code, verifier, clientId, redirectUri });
    if ("refused" in issued) throw new Error(issued.refused);
    return issued.accessToken;
  }

  const mcpList = (headers: Record<string, string>) =>
    server.call(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      { accept: "application/json, text/event-stream", ...headers },
    );
  const ofAgent = (path: string, headers: Record<string, string>) =>
    server.call("GET", path, undefined, headers);

  const WAYS: [
    name: string,
    way: string,
    leave: (who: Awaited<ReturnType<typeof somebody>>) => Promise<unknown>,
  ][] = [
    [
      "bob",
      "whose role was removed",
      ({ role }) => server.call("DELETE", `/v1/roles/${role}`, undefined, owner),
    ],
    [
      "carol",
      "whom an admin disabled",
      ({ email }) => server.call("PUT", `/v1/users/${email}`, { disabled: true }, owner),
    ],
    [
      "dan",
      "who left the group at the provider",
      async () => {
        op.people.set("dan", { sub: "dan", email: "dan@example.com", email_verified: true, groups: [] });
        await signIn("dan");
      },
    ],
    ["erin", "whom the directory set inactive", (who) => inDirectory(who, (id) => patch(id, INACTIVE))],
    [
      "finn",
      "whom the directory removed",
      (who) => inDirectory(who, (id) => scim("DELETE", `/Users/${id}`, undefined)),
    ],
    [
      "gus",
      "whom the directory took out of the group",
      (who) =>
        inDirectory(who, async (id, group) => {
          const value = [{ value: id }];
          await scim("PATCH", `/Groups/${group}`, { Operations: [{ op: "remove", path: "members", value }] });
        }),
    ],
  ];
  const INACTIVE = [{ op: "replace", value: { active: false } }];

  let token: string | undefined;
  async function scim(method: string, path: string, body: unknown) {
    token ??= (await server.call("POST", "/v1/scim-tokens", { name: "test" }, owner)).body.token;
    return server.call(method, `/scim/v2${path}`, body, { authorization: `Bearer ${token}` });
  }
  const patch = (id: string, Operations: object[]) => scim("PATCH", `/Users/${id}`, { Operations });

  /** The directory knows them, in their group; nothing changes until it says so. */
  async function inDirectory(
    { email, page, groupName }: { email: string; page: Record<string, string>; groupName: string },
    leave: (id: string, group: string) => Promise<unknown>,
  ) {
    const id = (await scim("POST", "/Users", { userName: email, active: true })).body.id;
    const made = await scim("POST", "/Groups", { displayName: groupName, members: [{ value: id }] });
    expect((await ofAgent("/v1/agents", page)).status).toBe(200);
    await leave(id, made.body.id);
  }

  test.each(WAYS)(
    "%s, %s, keeps no key, token, login, client, approval or schedule",
    async (name, _way, leave) => {
      const who = await somebody(name);
      const capabilities = `/v1/agents/${who.agentId}/ag-ui/capabilities`;
      expect((await ofAgent("/v1/agents", who.key)).status).toBe(200);
      expect((await ofAgent("/v1/keys", who.key)).status).toBe(403); // an admin's key of an author is an author's
      expect((await mcpList(who.token)).status).toBe(200);
      expect((await ofAgent(capabilities, who.client)).status).toBe(200);
      await leave(who);
      await vi.waitFor(async () => {
        expect([401, 403]).toContain((await ofAgent("/v1/agents", who.page)).status);
        expect([401, 403]).toContain((await ofAgent("/v1/agents", who.key)).status);
      }, 1500); // within a second
      expect((await ofAgent(capabilities, who.client)).status).toBe(401);
      expect([401, 403]).toContain((await mcpList(who.token)).status);
      const answer = `/v1/approvals/${who.approval}`;
      const approved = await server.call("POST", answer, { decision: "approve" }, who.key);
      expect([401, 403]).toContain(approved.status);
      const before = calls.length;
      const unknowing = await server.call("POST", answer, { decision: "approve" }, owner);
      expect(unknowing).toMatchObject({ status: 403, body: { code: "user_inactive" } });
      const fired = await server.call("POST", `/v1/schedules/${who.schedule}/run`, undefined, owner);
      await vi.waitFor(async () => {
        const { body } = await server.call("GET", `/v1/triggers?user=${who.email}`, undefined, owner);
        const trigger = body.items.find(({ id }: { id: string }) => id === fired.body.trigger_id);
        expect(trigger.status).toBe("pending"); // tried, refused, and tried again later
        expect(trigger.attempts).toBeGreaterThan(0);
      }, 20_000);
      const runs = `/v1/runs?session_id=${fired.body.session_id}`;
      expect((await server.call("GET", runs, undefined, owner)).body.items).toEqual([]);
      expect(calls.slice(before)).toEqual([]);
    },
  );
});
