/** Rules that count calls, rules on groups and accounts, and a user's own rules, on a real server. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: "Sends.",
    writes: "internal",
    input: z.object({ to: z.string() }),
    run: async ({ to }) => ok(`sent to ${to}`),
    ...more,
  });
const capabilities = [
  defineCapability({
    id: "post",
    name: "Post",
    description: "Sends.",
    tools: [
      tool("send_mail"),
      tool("send_note"),
      tool("send_letter", { policy: "approve" }),
      tool("send_parcel", { connections: [{ provider: "postbox", scopes: [] }] }),
      tool("send_gold", { scopes: ["Post.Gold"] }),
    ],
  }),
];

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  let agent: string;
  let keys: Record<"ann" | "bob", Record<string, string>>;
  beforeAll(async () => {
    server = await testServer(await fresh(), {}, { config: { capabilities } });
    const hosts = ["api.postbox.example"];
    await server.call("PUT", "/v1/connection-providers/postbox", { kind: "api_key", hosts });
    const body = { name: "Clerk", capabilities: ["post"], granted_scopes: ["Post.Gold"] };
    agent = (await server.call("POST", "/v1/agents", body)).body.id;
    const keyOf = async (name: string) => {
      const owner = `${name}@example.com`;
      const made = await server.call("POST", "/v1/keys", { name, owner, rights: ["run"] });
      return { authorization: `Bearer ${made.body.key}` };
    };
    keys = { ann: await keyOf("ann"), bob: await keyOf("bob") };
  });
  afterAll(() => server?.stop());

  const rule = async (body: object, key: Record<string, string> = {}) => {
    const made = await server.call("POST", "/v1/rules", { name: "a rule", ...body }, key);
    expect(made).toMatchObject({ status: 201 });
    return { ...made.body, remove: () => server.call("DELETE", `/v1/rules/${made.body.id}`, undefined, key) };
  };
  const send = async (key: Record<string, string>, name = "send_mail", to = "eve") => {
    const path = `/v1/capabilities/post/tools/${name}`;
    return server.call("POST", path, { input: { to }, agent_id: agent }, key);
  };
  const statuses = async (key: Record<string, string>, times: number, name?: string) => {
    const found: number[] = [];
    for (let at = 0; at < times; at++) found.push((await send(key, name)).status);
    return found;
  };
  const check = async (name: string, key: Record<string, string>) =>
    (await server.call("POST", "/v1/rules/check", { agent_id: agent, tool: name, input: { to: "x" } }, key))
      .body;

  test("at most two mails an hour for each user: the third is refused with the words, another user's is not", async () => {
    const limit = { calls: 2, per: "hour", each: "user" };
    const made = await rule({ tools: ["send_mail"], then: "limit", limit, words: "Two an hour are enough." });
    expect(made.sentence).toBe("Deny more than 2 calls an hour for each user of send_mail.");
    expect(await statuses(keys.ann, 3)).toEqual([200, 200, 403]);
    expect((await send(keys.ann)).body).toMatchObject({
      code: "rule_denied",
      message: expect.stringContaining("Two an hour are enough. (2 before this one)"),
    });
    expect(await check("send_mail", keys.ann)).toMatchObject({ decision: "deny", rule_id: made.id });
    expect(await statuses(keys.bob, 2)).toEqual([200, 200]);
    await made.remove();
    expect(await statuses(keys.ann, 1)).toEqual([200]);
  });

  test("of twenty at once as many are made as the limit says, and above it a person is asked", async () => {
    const limit = { calls: 5, per: "day", over: "ask" };
    const made = await rule({ tools: ["send_mail"], then: "limit", limit });
    expect(made.sentence).toBe("Ask before more than 5 calls a day of send_mail.");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send(keys.ann, "send_mail", `${at}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const asked = answers.filter(({ status }) => status === 202);
    expect(asked).toHaveLength(15);
    const id = asked[0]?.body.approval_id;
    const yes = await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" }, keys.ann);
    expect(yes.status).toBe(200);
    const result = async () =>
      (await server.call("GET", `/v1/approvals/${id}`, undefined, keys.ann)).body.result;
    await expect.poll(result, { timeout: 20_000 }).toMatchObject({ output: expect.stringContaining("sent") });
    await made.remove();
  });

  test("how often is a condition: the first letter of a day is allowed, the second asks as its policy says", async () => {
    const often = { op: "at_most", calls: 1, per: "day", each: "user" };
    const made = await rule({ tools: ["send_letter"], when: [{ often }], then: "allow" });
    expect(await statuses(keys.ann, 2, "send_letter")).toEqual([200, 202]);
    expect(await statuses(keys.bob, 1, "send_letter")).toEqual([200]);
    await made.remove();
  });

  test("a rule knows the groups of the user, and expressions do too", async () => {
    const { pool } = server.services.database;
    await pool.query(
      "insert into identities(issuer, subject, user_email, name, claims) values ('i', 's', 'ann@example.com', 'Ann', $1)",
      [{ groups: ["finance"], dept: ["north"] }],
    );
    await server.call("POST", "/v1/roles", { claim: "groups", value: "finance", role: "run" });
    const outside = await rule({ tools: ["send_mail"], when: [{ not_group: "finance" }], then: "deny" });
    const north = await rule({
      tools: ["send_letter"],
      when: [{ group: ["dept=north", "x"] }],
      then: "deny",
    });
    const written = await rule({
      tools: ["send_note"],
      when: [{ expr: '"finance" in groups && risk == "write" && path == "rest" && scopes.size() == 0' }],
      then: "deny",
    });
    expect(outside.sentence).toBe("Deny send_mail when the user is not in finance.");
    const decided = async (name: string) =>
      [await send(keys.ann, name), await send(keys.bob, name)].map(({ status, body }) =>
        status === 202 ? "asked" : (body.code ?? "made"),
      );
    expect(await decided("send_mail")).toEqual(["made", "rule_denied"]);
    expect(await decided("send_letter")).toEqual(["rule_denied", "asked"]);
    expect(await decided("send_note")).toEqual(["rule_denied", "made"]);
    await pool.query("delete from identities");
    for (const each of [outside, north, written]) await each.remove();
  });

  test("a rule knows the accounts and the scopes that a tool uses", async () => {
    const accounts = await rule({ tools: ["*"], when: [{ connection: "postbox" }], then: "deny" });
    const scopes = await rule({ tools: ["scope:Post.Gold"], then: "deny" });
    const decided = await Promise.all(
      ["send_mail", "send_parcel", "send_gold"].map(async (name) => (await check(name, {})).rule_id),
    );
    expect(decided).toEqual([null, accounts.id, scopes.id]);
    for (const each of [accounts, scopes]) await each.remove();
    const wrong = { name: "w", tools: ["send_mail"], when: [{ connection: "postbox" }], then: "deny" };
    expect(await server.call("POST", "/v1/rules", wrong)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('none of its tools uses "postbox"') },
    });
  });

  test("users write rules for their own calls, which only make these stricter", async () => {
    const own = await rule({ tools: ["send_mail"], then: "deny" }, keys.ann);
    expect(own.user).toBe("ann@example.com");
    expect((await send(keys.ann)).status).toBe(403);
    expect((await send(keys.bob)).status).toBe(200);
    const seen = async (key: Record<string, string>) =>
      (await server.call("GET", `/v1/rules/${own.id}`, undefined, key)).status;
    expect([await seen(keys.ann), await seen(keys.bob), await seen({})]).toEqual([200, 404, 200]);
    const refused = async (body: object) =>
      (await server.call("POST", "/v1/rules", { name: "n", tools: ["send_mail"], ...body }, keys.ann)).status;
    expect([
      await refused({ then: "allow" }),
      await refused({ then: "deny", user: null }),
      await refused({ then: "deny", user: "bob@example.com" }),
      await refused({ then: "ask", ask: { whom: "admin" } }),
    ]).toEqual([422, 403, 403, 422]);
    const everybodys = await rule({ tools: ["send_letter"], then: "deny" });
    const change = { then: "ask" };
    expect((await server.call("PATCH", `/v1/rules/${everybodys.id}`, change, keys.ann)).status).toBe(403);
    expect((await server.call("DELETE", `/v1/rules/${own.id}`, undefined, keys.bob)).status).toBe(404);
    await everybodys.remove();
    expect((await own.remove()).status).toBe(204);
    expect((await send(keys.ann)).status).toBe(200);
  });
});
