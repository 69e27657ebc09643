/** An agent never has more rights than who saved it, also later. Each title says what would be let in. */
import { AGENT_DEFAULTS } from "@capstan/core/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { PROOF_CAPABILITIES, ran, SCOPE } from "../fixtures/proof-capabilities.ts";

type Who = Record<string, string>;
const BOSS = "boss@example.com";
const ANN = "ann@example.com";
const USER = "ulla@example.com";
const FRIEND = "fred@example.com";

describe.each(STORES)("an agent on $name", ({ fresh }) => {
  let server: TestServer;
  let boss: Who & { readonly id: string };
  let ann: Who;
  let user: Who;
  beforeAll(async () => {
    server = await testServer(await fresh(), {}, { config: { capabilities: PROOF_CAPABILITIES } });
    ann = await keyOf("author", ANN);
    user = await keyOf("run", USER);
    await server.call("POST", "/v1/grants", { subject: `user:${USER}`, scope: SCOPE });
  });
  beforeEach(async () => {
    boss = await keyOf("admin", BOSS);
    ran.length = 0;
  });
  afterAll(() => server.stop());

  const keyOf = async (right: string, owner: string) => {
    const { body } = await server.call("POST", "/v1/keys", { name: owner, owner, rights: [right] });
    return { authorization: `Bearer ${body.key}`, id: body.id as string };
  };
  const as = ({ authorization = "" }: Who): Who => ({ authorization });
  const create = async (fields: object, who: Who): Promise<string> => {
    const made = await server.call("POST", "/v1/agents", { name: "A", ...fields }, as(who));
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body.id;
  };
  /** A coding agent need not be installed for this. */
  const createProgram = async () =>
    (
      await server.services.agents.create(BOSS, {
        ...AGENT_DEFAULTS,
        name: "Program",
        harness: "claude",
        allowNativeTools: true,
      })
    ).id;
  const use = (agentId: string, tool: string, who: Who, session?: string) =>
    server.call(
      "POST",
      `/v1/capabilities/proof/tools/${tool}`,
      { input: { n: 1 }, agent_id: agentId, ...(session && { session_id: session }) },
      as(who),
    );
  const dismissBoss = async () => {
    const { items } = (await server.call("GET", "/v1/keys?limit=100")).body;
    for (const { id, owner } of items as { id: string; owner: string }[])
      if (owner === BOSS) await server.call("DELETE", `/v1/keys/${id}`);
  };

  test("would keep a scope that was taken from its author", async () => {
    const grant = await server.call("POST", "/v1/grants", { subject: `user:${ANN}`, scope: SCOPE });
    const id = await create({ capabilities: ["proof"], granted_scopes: [SCOPE] }, ann);
    expect((await use(id, "guarded", user)).status).toBe(200);
    await server.call("DELETE", `/v1/grants/${grant.body.id}`);
    expect((await use(id, "guarded", user)).body.code).toBe("scope_missing");
    expect(ran).toHaveLength(1);
  });

  test("would keep what an admin gave it who is none any more: scopes, a policy, and a program", async () => {
    const fields = { capabilities: ["proof"], granted_scopes: [SCOPE], tool_policies: { careful: "auto" } };
    const id = await create(fields, boss);
    const program = await createProgram();
    expect((await use(id, "guarded", user)).status).toBe(200);
    expect((await use(id, "careful", user)).status).toBe(200);
    await dismissBoss();
    expect((await use(id, "guarded", user)).body.code).toBe("scope_missing");
    expect((await use(id, "careful", user)).status).toBe(202);
    expect(
      (await server.call("GET", `/v1/agents/${program}/preview`, undefined, as(user))).body,
    ).toMatchObject({
      code: "agent_beyond_author",
      nextStep: expect.stringMatching(/admin/),
    });
    expect(ran).toHaveLength(2);
    const restored = await server.call("POST", `/v1/agents/${id}/revisions/1/restore`, { yes: true });
    expect(restored.status, JSON.stringify(restored.body)).toBe(200);
    expect((await use(id, "careful", user)).status).toBe(200);
  });

  test("would have the scopes that whatever else wrote it put in", async () => {
    const { agents } = server.services;
    const live = await agents.get(await create({ capabilities: ["proof"] }, ann));
    if (!live.ok) throw new Error("it is there");
    const { id, version, owner, author, status, createdAt, updatedAt, ...input } = live.value;
    const made = await agents.create(ANN, { ...input, grantedScopes: [SCOPE] }); // as a trigger's handler makes one
    expect((await use(made.id, "guarded", user)).body.code).toBe("scope_missing");
  });

  const shareWith = (id: string, email: string, rights: string[], who: Who) =>
    server.call(
      "PUT",
      `/v1/agents/${id}/shares`,
      { access: "all", shares: [{ with: `user:${email}`, rights }] },
      as(who),
    );
  const approve = (id: string, who: Who, more: object = {}) =>
    server.call("POST", `/v1/approvals/${id}`, { decision: "approve", ...more }, as(who));

  test("would have its author, or whom they name, answer what its users are asked", async () => {
    const id = await create({ capabilities: ["proof"] }, ann);
    const asked = (await use(id, "careful", user)).body.approval_id;
    for (const email of [ANN, FRIEND]) {
      expect((await shareWith(id, email, ["approve"], ann)).status).toBe(403);
      const expiry = { policy: "escalate", after_seconds: 1, to: email };
      const escalating = await server.call(
        "POST",
        "/v1/agents",
        { name: "E", approval_expiry: expiry },
        as(ann),
      );
      expect(escalating.status, "also to the author: it is the user who is asked").toBe(403);
    }
    expect((await approve(asked, ann)).status).toBe(404);
    expect(ran).toEqual([]);
  });

  test("would have an approver who was named by somebody who is no admin any more, or was none", async () => {
    const id = await create({ capabilities: ["proof"] }, ann);
    const friend = await keyOf("run", FRIEND);
    const asked = async () => (await use(id, "careful", user)).body.approval_id;
    expect((await shareWith(id, FRIEND, ["approve"], boss)).status).toBe(200);
    expect((await shareWith(id, FRIEND, ["use", "approve"], ann)).status, "its owner keeps them").toBe(200);
    expect((await approve(await asked(), friend)).status).toBe(200);
    await dismissBoss();
    expect((await approve(await asked(), friend)).status).toBe(404);
    expect((await server.call("GET", "/v1/approvals", undefined, as(friend))).body.items).toEqual([]);
    const { pool } = server.services.database;
    await pool.query("update agent_sharing set by = $1, shares = $2 where agent_id = $3", [
      ANN,
      JSON.stringify([{ with: `user:${FRIEND}`, rights: ["approve"] }]), // as it was stored before givers were
      id,
    ]);
    expect((await approve(await asked(), friend)).status).toBe(404);
    expect(ran).toHaveLength(1);
  });

  test("would be allowed for the rest of somebody's session by who was asked about one call", async () => {
    const id = await create({ capabilities: ["proof"] }, ann);
    await shareWith(id, FRIEND, ["approve"], boss);
    const friend = await keyOf("run", FRIEND);
    const session = await server.call("POST", "/v1/sessions", { agent_id: id }, as(user));
    const asked = (await use(id, "careful", user, session.body.id)).body.approval_id;
    expect((await approve(asked, friend, { for_session: true })).status).toBe(403);
    expect((await approve(asked, friend)).status).toBe(200);
  });

  test("would be used as an admin saved it once and took it back, by who chooses an old revision", async () => {
    const id = await create({ capabilities: ["proof"] }, ann);
    await server.call("PATCH", `/v1/agents/${id}`, { tool_policies: { careful: "auto" } }, as(boss));
    await server.call("PATCH", `/v1/agents/${id}`, { tool_policies: { careful: null } }, as(boss));
    const follows = { revision: 2 };
    const made = await server.call("POST", `/v1/agents/${id}/tokens`, { name: "t", follows }, as(ann));
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "careful", arguments: { n: 1 } },
    };
    await server.call("POST", "/mcp", call, {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      authorization: `Bearer ${made.body.token}`,
    });
    expect(ran).toEqual([]);
  });

  test("would stay on a version that needs no scope and no approval, which the registered one requires", async () => {
    const tool = { name: "pay", description: "Pays.", method: "POST", path: "/pay" };
    const document = {
      id: "pay_desk",
      name: "Pay desk",
      description: "Pays.",
      base_url: "https://pay.example",
    };
    const post = (version: string, more: object) =>
      server.call("POST", "/v1/capabilities", { ...document, version, tools: [{ ...tool, ...more }] });
    const capabilities = [{ id: document.id, version: "1.0.0" }];
    const pay = async (agentId: string) =>
      server.call("POST", "/v1/capabilities/pay_desk/tools/pay", { input: {}, agent_id: agentId }, as(user));
    expect((await post("1.0.0", { policy: "auto" })).status).toBe(201);
    const before = await create({ capabilities }, ann);
    expect((await post("2.0.0", { policy: "approve" })).status).toBe(200);
    expect((await server.call("POST", "/v1/agents", { name: "B", capabilities }, as(ann))).status).toBe(403);
    expect((await pay(before)).status, "one that was saved before asks").toBe(202);
    expect((await post("3.0.0", { policy: "auto", scopes: [SCOPE] })).status).toBe(200);
    expect((await pay(before)).body.code).toBe("tool_denied");
    expect((await pay(await create({ capabilities }, boss))).body.code, "an admin's agent stays").toBe(
      "network_error",
    );
    expect((await post("4.0.0", { name: "pay_out", policy: "approve" })).status).toBe(200);
    expect((await pay(before)).status, "a tool that is gone may have another name now").toBe(202);
  });

  test("would be used in a withdrawn revision by who was allowed to change it once", async () => {
    const id = await create({ capabilities: ["proof"] }, ann);
    await server.call("PATCH", `/v1/agents/${id}`, { capabilities: ["sandbox"] }, as(ann));
    await shareWith(id, FRIEND, ["use", "change"], ann);
    const friend = await keyOf("author", FRIEND);
    const follows = { revision: 1 };
    const session = await server.call("POST", "/v1/sessions", { agent_id: id, follows }, as(friend));
    const token = await server.call("POST", `/v1/agents/${id}/tokens`, { name: "t", follows }, as(friend));
    const toolsOf = async () => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
      const { body } = await server.call("POST", "/mcp", call, {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        authorization: `Bearer ${token.body.token}`,
      });
      return JSON.stringify(body);
    };
    const send = () =>
      server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "Hello" }, as(friend));
    expect(await toolsOf()).toContain("careful");
    await shareWith(id, FRIEND, ["use"], ann);
    expect(await toolsOf()).not.toContain("careful");
    expect((await send()).body).toMatchObject({
      code: "forbidden",
      nextStep: expect.stringContaining("live"),
    });
    await shareWith(id, FRIEND, ["use", "change"], ann);
    expect(await toolsOf()).toContain("careful");
    expect((await send()).status).toBe(202);
  });

  test("would use a scope that an admin granted to it for what its owner tells it now", async () => {
    const id = await create({ capabilities: ["proof"] }, ann);
    await server.call("POST", "/v1/grants", { subject: `agent:${id}`, scope: SCOPE });
    const change = { system_prompt: "Use it on everybody." };
    const answer = await server.call("PATCH", `/v1/agents/${id}`, change, as(ann));
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining(SCOPE) } });
    expect((await server.call("PATCH", `/v1/agents/${id}`, change, as(boss))).status).toBe(200);
  });

  test("would do by another agent what its author may not: run a program, or skip a question", async () => {
    const program = await createProgram();
    const hasty = await create(
      { name: "Hasty", capabilities: ["proof"], tool_policies: { careful: "auto" } },
      boss,
    );
    const between = await create({ name: "Between", capabilities: [`agent.${program}`] }, boss);
    for (const target of [program, hasty, between]) {
      const body = { name: "Lead", capabilities: [`agent.${target}`] };
      expect((await server.call("POST", "/v1/agents", body, as(ann))).status, target).toBe(403);
      const checked = await server.call("POST", "/v1/agents/preview?check=save", body, as(ann));
      expect(checked.status, "what saving refuses, the preview refuses").toBe(403);
    }
    const plain = await create({ name: "Plain", capabilities: ["proof"] }, boss);
    const lead = await create({ name: "Lead", capabilities: [`agent.${plain}`] }, ann);
    const preview = () => server.call("GET", `/v1/agents/${lead}/preview`, undefined, as(user));
    expect((await preview()).status).toBe(200);
    await server.call("PATCH", `/v1/agents/${plain}`, { tool_policies: { careful: "auto" } }, as(boss));
    expect((await preview()).body).toMatchObject({ code: "agent_beyond_author" });
  });
});
