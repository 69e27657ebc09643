/** Where the operator's secrets are sent, and secrets of a single capability: nobody else chooses or sees them. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testTarball } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const KEY = "operators-own-key-1234";

describe.each(STORES)("secrets on $name", ({ fresh }) => {
  let own: Listener;
  let attacker: Listener;
  let store: FreshStore;
  let server: TestServer;
  beforeAll(async () => {
    own = await listen();
    attacker = await listen();
    store = await fresh();
    server = await testServer(store, {
      CAPSTAN_ALLOW_HOSTS: `${own.host},${attacker.host}`,
      CAPSTAN_SECRET_SHOP_KEY: KEY,
      CAPSTAN_SECRET_HOSTS: `SHOP_KEY=${own.host}`,
    });
  });
  afterAll(async () => {
    await server.stop();
    own.server.close();
    attacker.server.close();
  });

  test("an operator's secret goes to the host it is bound to", async () => {
    await server.call("POST", "/v1/capabilities", document("shop", own.host));
    await server.call("POST", "/v1/capabilities/shop/tools/ask", { input: {} });
    expect(own.heard).toContain(KEY);
  });

  test("a document would send it to the host that its author chose", async () => {
    await server.call("POST", "/v1/capabilities", document("thief", attacker.host));
    const answer = await server.call("POST", "/v1/capabilities/thief/tools/ask", { input: {} });
    expect(JSON.stringify(answer.body)).toContain("secret_missing");
    expect(attacker.heard).toBe("");
  });

  test("a caller or an author would choose the host by a variable in an API's address", async () => {
    const api = {
      openapi: "3.1.0",
      info: { title: "Regions", version: "1.0.0" },
      servers: [{ url: "http://{place}/{version}", variables: { version: { default: "v1" } } }],
      paths: { "/": { get: { operationId: "look", responses: { 200: { description: "It." } } } } },
    };
    const bytes = Buffer.from(JSON.stringify(api)).toString("base64");
    const installed = await server.call("POST", "/v1/packages", { source: "regions.json", bytes, yes: true });
    expect(installed.status).toBe(201);
    const capability = server.services.registry.list().find(({ name }) => name === "Regions")?.id ?? "";
    const made = { name: "w", owner: "author@example.com", rights: ["author"] };
    const { key } = (await server.call("POST", "/v1/keys", made)).body;
    const headers = { authorization: `Bearer ${key}` };
    const config = { place: attacker.host };
    const tool = `/v1/capabilities/${capability}/tools/look`;
    attacker.heard = "";
    expect(await server.call("POST", tool, { input: {}, config }, headers)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("place") },
    });
    const agent = { name: "Mine", capabilities: [{ id: capability, config }] };
    expect((await server.call("POST", "/v1/agents", agent, headers)).status).toBe(403);
    const versioned = { name: "Mine", capabilities: [{ id: capability, config: { version: "v2" } }] };
    expect((await server.call("POST", "/v1/agents", versioned, headers)).status).toBe(201);
    expect(attacker.calls).toBe(0);
  });

  test("a secret in an agent's config would be read back from the API, the database or an approval", async () => {
    const token = "agents-own-token-5678";
    const field = { type: "string", secret: true };
    const tools = [{ name: "pay", description: "Pays.", path: "/", method: "POST", policy: "approve" }];
    const parts = {
      ...document("till", own.host),
      config: { TILL: field, SHOWN: { type: "string" } },
      tools,
    };
    const headers = { authorization: `Bearer \${TILL}` };
    expect((await server.call("POST", "/v1/capabilities", { ...parts, headers })).status).toBe(201);
    const capabilities = [{ id: "till", config: { TILL: token, SHOWN: "plain" } }];
    const policy = { pay: "auto" };
    const made = await server.call("POST", "/v1/agents", { name: "A", capabilities, tool_policies: policy });
    const { id } = made.body;
    const shown = [{ id: "till", config: { TILL: "[sealed]", SHOWN: "plain" } }];
    expect(made).toMatchObject({ status: 201, body: { capabilities: shown } });

    const pay = { input: {}, agent_id: id };
    own.heard = "";
    await server.call("PATCH", `/v1/agents/${id}`, { name: "B", capabilities: made.body.capabilities });
    await server.call("POST", "/v1/capabilities/till/tools/pay", pay);
    expect(own.heard, "it still works, after its word was sent back").toBe(`Bearer ${token}`);
    const copied = await server.call("POST", "/v1/agents", {
      name: "C",
      capabilities: made.body.capabilities,
    });
    expect(copied).toMatchObject({ status: 422, body: { message: expect.stringContaining("TILL") } });

    const rows = await server.services.database.pool.query(
      "select config from agent_capabilities where capability_id = 'till'",
    );
    const stolen = { TILL: rows.rows[0]?.config.TILL }; // from a copy of the database, without its key
    const replayed = await server.call("POST", "/v1/agents", {
      name: "D",
      capabilities: [{ id: "till", config: stolen }],
    });
    const called = await server.call("POST", "/v1/capabilities/till/tools/pay", {
      input: {},
      config: stolen,
    });
    expect([replayed.status, called.status]).toEqual([422, 422]);

    const config = { TILL: token };
    const asked = await server.call("POST", "/v1/capabilities/till/tools/pay", { input: {}, config });
    expect(asked.status).toBe(202);
    own.heard = "";
    await server.call("POST", `/v1/approvals/${asked.body.approval_id}`, { decision: "approve" });
    expect(own.heard, "an approved call has its secret").toBe(`Bearer ${token}`);

    const seen = await Promise.all(
      [`/v1/agents/${id}`, "/v1/agents", `/v1/agents/${id}/preview`, "/v1/audit", "/v1/approvals"].map(
        (path) => server.call("GET", path),
      ),
    );
    expect(JSON.stringify(seen.map(({ body }) => body))).not.toContain(token);
    const { pool } = server.services.database;
    const stored = await Promise.all(
      ["agent_capabilities", "approvals", "events", "audit_log", "runs"].map((table) =>
        pool.query(`select * from ${table}`),
      ),
    );
    expect(stored[0]?.rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored.map(({ rows }) => rows))).not.toContain(token);
  });

  test("a secret given to one capability would be read back, or seen by another", async () => {
    const code = `#!/usr/bin/env node
console.log(JSON.stringify({ length: process.env.SHOP_TOKEN?.length, text: process.env.SHOP_TOKEN }));`;
    for (const name of ["shop", "other"]) {
      const command = `aech-cli-${name}`;
      const action = { name: "echo", description: "Tells", parameters: [] };
      const manifest = { name: `cli-${name}`, type: "cli", command, description: "Tells", actions: [action] };
      const bytes = Buffer.from(testTarball({ name: command, command, manifest, code })).toString("base64");
      const installed = await server.call("POST", "/v1/packages", { source: "x.tgz", bytes, yes: true });
      expect(installed.status).toBe(201);
    }
    const put = await server.call("PUT", "/v1/secrets/cli-shop/SHOP_TOKEN", { value: "given-to-shop-alone" });
    expect(put).toMatchObject({ status: 200, body: { capability: "cli-shop", name: "SHOP_TOKEN" } });
    expect((await call("cli-shop")).body.output).toMatchObject({ length: 19, text: "[secret]" });
    expect((await call("cli-other")).body.output).toEqual({});
    const listed = await server.call("GET", "/v1/secrets");
    expect(JSON.stringify(listed.body)).not.toContain("given-to-shop-alone");
    expect(listed.body.items).toMatchObject([{ capability: "cli-shop", name: "SHOP_TOKEN" }]);
  });

  test("a user's own value goes before the server's, and only to that user's calls", async () => {
    const user = "other@example.com";
    await server.call("PUT", "/v1/secrets/cli-shop/SHOP_TOKEN", { value: "others", user });
    expect((await call("cli-shop")).body.output).toMatchObject({ length: 19 });
    const { key } = (await server.call("POST", "/v1/keys", { name: "o", owner: user, rights: ["run"] })).body;
    const headers = { authorization: `Bearer ${key}` };
    const theirs = await server.call(
      "POST",
      "/v1/capabilities/cli-shop/tools/cli-shop_echo",
      { input: {} },
      headers,
    );
    expect(theirs.body.output).toMatchObject({ length: 6 });
    const everybody = await server.call("PUT", "/v1/secrets/cli-shop/SHOP_TOKEN", { value: "x" }, headers);
    expect(everybody.status).toBe(403);
  });

  test.each(["PATH", "LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "A B"])(
    "%s would change how the command starts",
    async (name) => {
      const put = await server.call("PUT", `/v1/secrets/cli-shop/${encodeURIComponent(name)}`, {
        value: "x",
      });
      expect(put.status).toBe(422);
    },
  );

  test("a user's own value would take those of every user along, to an address or into a program of theirs", async () => {
    const keyOf = async (owner: string, right: string) => {
      const { body } = await server.call("POST", "/v1/keys", { name: owner, owner, rights: [right] });
      return { authorization: `Bearer ${body.key}`, id: body.id as string };
    };
    const [bob, boss] = [await keyOf("bob@example.com", "run"), await keyOf("boss@example.com", "admin")];
    const set = (name: string, value: string, user?: string, { authorization = "" } = {}) => {
      const headers: Record<string, string> = authorization === "" ? {} : { authorization };
      return server.call("PUT", `/v1/secrets/mailer/${name}`, { value, user }, headers);
    };
    const seen = async (user: string) =>
      Object.keys(await server.services.capabilitySecrets.valuesFor("mailer", user)).sort();
    expect((await set("API_KEY", KEY)).status).toBe(200);
    expect((await set("API_TOKEN", "bobs", "bob@example.com", boss)).status).toBe(200);
    expect(await seen("bob@example.com"), "what an admin gives is combined").toEqual([
      "API_KEY",
      "API_TOKEN",
    ]);
    for (const name of ["API_BASE_URL", "JAVA_TOOL_OPTIONS"])
      expect((await set(name, "https://bob.example", "bob@example.com", bob)).status).toBe(200);
    expect(await seen("bob@example.com")).toEqual(["API_BASE_URL", "API_TOKEN", "JAVA_TOOL_OPTIONS"]);
    expect(await seen("cleo@example.com")).toEqual(["API_KEY"]);
    expect((await set("API_URL", "https://boss.example", "cleo@example.com", boss)).status).toBe(200);
    expect(await seen("cleo@example.com")).toEqual(["API_KEY", "API_URL"]);
    await server.call("DELETE", `/v1/keys/${boss.id}`);
    expect(await seen("cleo@example.com"), "it counts who is an admin now").toEqual(["API_URL"]);
  });

  const call = (capability: string) =>
    server.call("POST", `/v1/capabilities/${capability}/tools/${capability}_echo`, { input: {} });
});

interface Listener {
  readonly server: Server;
  readonly host: string;
  heard: string;
  calls: number;
}

async function listen(): Promise<Listener> {
  const listener = { heard: "", calls: 0 };
  const server = createServer((request, response) => {
    listener.calls += 1;
    listener.heard += request.headers.authorization ?? "";
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(listener, { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const document = (id: string, host: string) => ({
  id,
  name: id,
  description: "Asks the shop.",
  base_url: `http://${host}`,
  headers: { authorization: `Bearer \${SHOP_KEY}` },
  tools: [{ name: "ask", description: "Asks.", path: "/" }],
});
