/** Clients that log in, with the official SDK's OAuth client of two generations, and what must not work. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CALLBACK, consent, type MemoryClient, memoryClient } from "../../../../tools/oauth-client.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const shelf = defineCapability({
  id: "shelf",
  name: "Shelf",
  description: "A shelf.",
  tools: [
    defineTool({
      name: "look",
      description: "Looks.",
      risk: "read",
      input: z.object({}),
      run: () => ok("seen"),
    }),
    defineTool({ name: "place", description: "Places.", input: z.object({}), run: () => ok("placed") }),
  ],
});

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  let agentId: string;
  let otherId: string;
  let documents: HttpServer;
  let documentUrl: string;
  beforeAll(async () => {
    documents = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ client_id: documentUrl, client_name: "Known", redirect_uris: [CALLBACK] }),
      );
    });
    await new Promise<void>((done) => documents.listen(0, "127.0.0.1", done));
    const host = `127.0.0.1:${(documents.address() as AddressInfo).port}`;
    documentUrl = `http://${host}/client.json`;
    server = await testServer(await fresh(), { CAPSTAN_ALLOW_HOSTS: host });
    server.services.registry.register(shelf);
    agentId = await newAgent("Keeper");
    otherId = await newAgent("Other");
  });
  afterAll(async () => {
    await server.stop();
    documents.close();
  });

  const newAgent = async (name: string): Promise<string> =>
    (await server.call("POST", "/v1/agents", { name, capabilities: ["shelf"] })).body.id;

  const mcp = (query = "") => new URL(`${server.url}/mcp${query}`);

  /** The client's first connection: it finds out that it has to log in, and opens a browser. */
  async function begin(client: MemoryClient, query = "") {
    const transport = new StreamableHTTPClientTransport(mcp(query), { authProvider: client });
    const first = new Client({ name: "test", version: "1" });
    await expect(first.connect(transport)).rejects.toThrow(UnauthorizedError);
    return transport;
  }

  async function connected(client: MemoryClient, query = "") {
    const session = new Client({ name: "test", version: "1" });
    await session.connect(new StreamableHTTPClientTransport(mcp(query), { authProvider: client }));
    return session;
  }

  async function logIn(client: MemoryClient, answer: { scopes?: readonly string[] } = {}) {
    const transport = await begin(client);
    const { back } = await consent(server, client.opened(), { agent_id: agentId, ...answer });
    await transport.finishAuth(back?.searchParams ?? new URLSearchParams());
    return { back, session: await connected(client) };
  }

  test("the SDK's client registers, logs in and calls a tool as the agent that the person chose", async () => {
    const client = memoryClient();
    const { back, session } = await logIn(client);
    expect(client.opened().pathname).toBe("/authorize");
    expect(Object.fromEntries(back?.searchParams ?? [])).toMatchObject({ state: "a state", iss: server.url });
    const { tools } = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["look", "place"]));
    expect((await session.callTool({ name: "place", arguments: {} })).content).toMatchObject([
      { text: "placed" },
    ]);
    await session.close();
  });

  test("version 1 of the SDK logs in the same way", async () => {
    const client = memoryClient();
    const provider = client as never;
    const first = new OldClient({ name: "old", version: "1" });
    const transport = new OldTransport(mcp(), { authProvider: provider });
    await expect(first.connect(transport as never)).rejects.toThrow("Unauthorized");
    const { code } = await consent(server, client.opened(), { agent_id: agentId });
    await transport.finishAuth(code);
    const session = new OldClient({ name: "old", version: "1" });
    await session.connect(new OldTransport(mcp(), { authProvider: provider }) as never);
    expect((await session.listTools()).tools.map(({ name }) => name)).toContain("look");
    await session.close();
  });

  test("a client that is described by a document needs no registration", async () => {
    const client = memoryClient({ clientMetadataUrl: documentUrl.replace("http:", "https:") });
    await begin(client);
    const opened = client.opened();
    opened.searchParams.set("client_id", documentUrl);
    const { status, back } = await consent(server, opened, { agent_id: agentId });
    expect([status, back?.origin]).toEqual([200, new URL(CALLBACK).origin]);
    opened.searchParams.set("client_id", `${documentUrl}?other`);
    const { said } = await consent(server, opened, { agent_id: agentId });
    expect(said).toMatchObject({
      code: "client_unknown",
      message: expect.stringMatching(/another client_id/),
    });
  });

  test("what is called beyond the allowed tools is asked for, and allowed by the person, not by the client", async () => {
    const client = memoryClient();
    const { session } = await logIn(client, { scopes: ["tools:read"] });
    expect((await session.callTool({ name: "look", arguments: {} })).content).toMatchObject([
      { text: "seen" },
    ]);
    await expect(session.callTool({ name: "place", arguments: {} })).rejects.toThrow();
    const again = client.opened();
    expect(again.searchParams.get("scope")).toContain("tool:place");
    const wider = await consent(server, again, { agent_id: agentId, scopes: ["tools"] });
    expect(wider.said).toMatchObject({ code: "input_invalid" });
    const { back } = await consent(server, again, { agent_id: agentId });
    const answered = back?.searchParams ?? new URLSearchParams();
    await new StreamableHTTPClientTransport(mcp(), { authProvider: client }).finishAuth(answered);
    const better = await connected(client);
    expect((await better.callTool({ name: "place", arguments: {} })).content).toMatchObject([
      { text: "placed" },
    ]);
    await better.close();
  });

  test("version 1 of the SDK asks the person, too, and a client that cannot ask may refresh", async () => {
    const client = memoryClient();
    const provider = client as never;
    const first = new OldClient({ name: "old", version: "1" });
    const transport = new OldTransport(mcp(), { authProvider: provider });
    await expect(first.connect(transport as never)).rejects.toThrow("Unauthorized");
    const allowed = await consent(server, client.opened(), { agent_id: agentId, scopes: ["tools:read"] });
    await transport.finishAuth(allowed.code);
    const connect = async () => {
      const session = new OldClient({ name: "old", version: "1" });
      await session.connect(new OldTransport(mcp(), { authProvider: provider }) as never);
      return session;
    };
    const session = await connect();
    await expect(session.callTool({ name: "place", arguments: {} })).rejects.toThrow("Unauthorized");
    const again = client.opened();
    expect(again.searchParams.get("scope")).toContain("tool:place");
    expect((await session.callTool({ name: "look", arguments: {} })).content).toMatchObject([
      { text: "seen" },
    ]);
    await session.close();
    const wider = await consent(server, again, { agent_id: agentId });
    await transport.finishAuth(wider.code);
    const better = await connect();
    expect((await better.callTool({ name: "place", arguments: {} })).content).toMatchObject([
      { text: "placed" },
    ]);
    await better.close();
  });

  describe("by hand", () => {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");

    async function register(redirect_uris: string[] = [CALLBACK]): Promise<string> {
      const { body } = await server.call("POST", "/register", { client_name: "Hand", redirect_uris });
      return body.client_id;
    }
    const authorize = (clientId: string, more: Record<string, string | undefined> = {}) => {
      const url = new URL(`${server.url}/authorize`);
      const query = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: CALLBACK,
        code_challenge: challenge,
        code_challenge_method: "S256",
        resource: `${server.url}/mcp`,
        ...more,
      };
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, value);
      return url;
    };
    async function token(fields: Record<string, string>) {
      const response = await fetch(`${server.url}/token`, {
        method: "POST",
        body: new URLSearchParams(fields),
      });
      return { status: response.status, body: await response.json() };
    }
    const exchange = (code: string, clientId: string, more: Record<string, string> = {}) =>
      token({
        grant_type: "authorization_code",
        code,
        client_id: clientId,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
        ...more,
      });
    async function loggedIn(more: Record<string, string> = {}) {
      const clientId = await register();
      const { code } = await consent(server, authorize(clientId, more), { agent_id: agentId });
      return { clientId, code, ...(await exchange(code, clientId)) };
    }
    const refresh = (refresh_token: string, client_id: string) =>
      token({ grant_type: "refresh_token", refresh_token, client_id });
    const ping = async (bearer: string, path = "/mcp") =>
      fetch(server.url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${bearer}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      });

    test("the documents lead from a refusal to the login, also from a page", async () => {
      const refused = await fetch(mcp(), { method: "POST", body: "{}" });
      expect(refused.status).toBe(401);
      const challenge = refused.headers.get("www-authenticate") ?? "";
      expect(challenge).toContain('scope="tools"');
      const where = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
      const headers = { origin: "https://inspector.example" };
      const resource = await fetch(where, { headers });
      expect(resource.headers.get("access-control-allow-origin")).toBe(headers.origin);
      expect(await resource.json()).toMatchObject({
        resource: `${server.url}/mcp`,
        authorization_servers: [server.url],
      });
      const own = await (
        await fetch(`${server.url}/.well-known/oauth-authorization-server`, { headers })
      ).json();
      expect(own).toMatchObject({
        issuer: server.url,
        code_challenge_methods_supported: ["S256"],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      });
      const elsewhere = await fetch(`${server.url}/v1/agents`, { headers });
      expect(elsewhere.status).toBe(403);
    });

    test("/authorize only shows the page; without a person nothing is allowed and nothing is sent anywhere", async () => {
      const opened = authorize(await register());
      const response = await fetch(opened, { redirect: "manual" });
      expect(response.headers.get("location")).toBe(`/consent${opened.search}`);
      const foreign = await fetch(authorize("evil", { redirect_uri: "https://evil.example/" }), {
        redirect: "manual",
      });
      expect(foreign.headers.get("location")).toMatch(/^\/consent\?/);
    });

    test.each([
      ["without PKCE", { code_challenge: undefined }, /PKCE/],
      ["with the plain method", { code_challenge_method: "plain" }, /S256/],
      ["for a token in the address", { response_type: "token" }, /response_type/],
      ["with a foreign redirect", { redirect_uri: "https://evil.example/callback" }, /redirect_uri/],
      ["with a script as redirect", { redirect_uri: "javascript:alert(1)" }, /redirect_uri/],
      ["for another server", { resource: "https://other.example/mcp" }, /resource/],
      ["for a route that takes no login", { resource: "/v1/keys" }, /resource/],
      ["for unknown scopes", { scope: "admin" }, /scope/],
    ])("a request %s is refused", async (_what, more, why) => {
      const { status, said } = await consent(server, authorize(await register(), more), {
        agent_id: agentId,
      });
      expect(status).toBe(400);
      expect(said.message).toMatch(why);
    });

    test("a client id that was changed is unknown", async () => {
      const [body = "", signature = ""] = (await register()).split(".");
      const facts = JSON.parse(Buffer.from(body.replace("client_", ""), "base64url").toString());
      const changed = Buffer.from(JSON.stringify({ ...facts, r: ["https://evil.example/"] })).toString(
        "base64url",
      );
      const opened = authorize(`client_${changed}.${signature}`, { redirect_uri: "https://evil.example/" });
      expect((await consent(server, opened, { agent_id: agentId })).said).toMatchObject({
        code: "client_unknown",
      });
    });

    test("a program may listen on any port of loopback", async () => {
      const clientId = await register(["http://127.0.0.1/callback"]);
      const opened = authorize(clientId, { redirect_uri: "http://127.0.0.1:61234/callback" });
      expect((await consent(server, opened, { agent_id: agentId })).back?.port).toBe("61234");
    });

    test("a person who denies sends an error, and no code", async () => {
      const opened = authorize(await register(), { state: "s" });
      const { back } = await consent(server, opened, { allow: false });
      expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({
        error: "access_denied",
        state: "s",
        iss: server.url,
      });
    });

    test("a code is exchanged once, by who asked for it; a second time ends the login", async () => {
      const { clientId, code, body } = await loggedIn();
      expect((await ping(body.access_token)).status).toBe(200);
      const again = await exchange(code, clientId);
      expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
      expect((await ping(body.access_token)).status).toBe(401);
      expect((await refresh(body.refresh_token, clientId)).status).toBe(400);
    });

    test.each([
      ["another verifier", { code_verifier: "x".repeat(43) }],
      ["another redirect", { redirect_uri: "http://127.0.0.1:1/callback" }],
      ["another client", { client_id: "client_other" }],
      ["another resource", { resource: "https://other.example/mcp" }],
    ])("a code with %s is rejected", async (_what, more) => {
      const clientId = await register();
      const { code } = await consent(server, authorize(clientId), { agent_id: agentId });
      expect((await exchange(code, clientId, more)).body).toMatchObject({ error: "invalid_grant" });
      expect((await exchange(code, clientId)).status).toBe(200);
    });

    test("a refresh token is valid once: the second use ends the login and every token of it", async () => {
      const { clientId, body } = await loggedIn();
      const next = await refresh(body.refresh_token, clientId);
      expect(next.status).toBe(200);
      expect((await ping(next.body.access_token)).status).toBe(200);
      expect((await refresh(body.refresh_token, "client_other")).status).toBe(400);
      expect((await ping(next.body.access_token)).status).toBe(200);
      expect((await refresh(body.refresh_token, clientId)).body).toMatchObject({ error: "invalid_grant" });
      expect((await ping(next.body.access_token)).status).toBe(401);
      expect((await refresh(next.body.refresh_token, clientId)).status).toBe(400);
    });

    test("a refresh token is not for another address, and neither it nor a code lives on", async () => {
      const { clientId, body } = await loggedIn();
      const { refresh_token } = body;
      const elsewhere = { grant_type: "refresh_token", refresh_token, client_id: clientId };
      const refused = await token({ ...elsewhere, resource: "https://other.example/mcp" });
      expect(refused.body).toMatchObject({ error: "invalid_grant" });
      const { pool } = server.services.database;
      await pool.query("update client_refresh_tokens set expires_at = now() - interval '1 second'");
      expect((await refresh(refresh_token, clientId)).body).toMatchObject({ error: "invalid_grant" });
      expect((await ping(body.access_token)).status).toBe(200);
      const { code } = await consent(server, authorize(clientId), { agent_id: agentId });
      await pool.query("update client_logins set code_expires_at = now() - interval '1 second'");
      expect((await exchange(code, clientId)).body).toMatchObject({ error: "invalid_grant" });
    });

    test("of ten processes that refresh at once, at most one gets tokens", async () => {
      const { clientId, body } = await loggedIn();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => refresh(body.refresh_token, clientId)),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    });

    test("a login is listed and revoked, at once", async () => {
      const { body } = await loggedIn({ scope: "tools:read" });
      const { body: listed } = await server.call("GET", "/v1/tokens");
      const mine = listed.items.find(({ scopes }: { scopes: string[] }) => scopes.includes("tools:read"));
      expect(mine).toMatchObject({
        kind: "client",
        name: "Hand",
        agent_id: agentId,
        user: "local@localhost",
      });
      expect(JSON.stringify(listed)).not.toContain(body.access_token);
      expect((await server.call("DELETE", `/v1/tokens/${mine.id}`)).status).toBe(204);
      expect((await ping(body.access_token)).status).toBe(401);
      expect((await server.call("DELETE", `/v1/tokens/${mine.id}`)).status).toBe(404);
    });

    test("a client can end its login itself, and nobody else's", async () => {
      const { clientId, body } = await loggedIn();
      const end = (client_id: string) =>
        fetch(`${server.url}/revoke`, {
          method: "POST",
          body: new URLSearchParams({ token: body.refresh_token, client_id }),
        });
      expect((await end("client_other")).status).toBe(200);
      expect((await ping(body.access_token)).status).toBe(200);
      expect((await end(clientId)).status).toBe(200);
      expect((await ping(body.access_token)).status).toBe(401);
    });

    test("another user's key neither sees nor ends a login", async () => {
      const { body } = await loggedIn();
      const made = await server.call("POST", "/v1/keys", {
        name: "eve",
        owner: "eve@example.com",
        rights: ["run"],
      });
      const headers = { authorization: `Bearer ${made.body.key}` };
      expect((await server.call("GET", "/v1/tokens", undefined, headers)).body.items).toEqual([]);
      const { body: all } = await server.call("GET", "/v1/tokens");
      expect((await server.call("DELETE", `/v1/tokens/${all.items[0].id}`, undefined, headers)).status).toBe(
        404,
      );
      expect((await ping(body.access_token)).status).toBe(200);
    });

    test("a token opens the address it was allowed for, and nothing else", async () => {
      const { body } = await loggedIn();
      expect((await ping(body.access_token, `/mcp?agent=${agentId}`)).status).toBe(200);
      expect((await ping(body.access_token, `/mcp?agent=${otherId}`)).status).toBe(401);
      expect((await ping(body.access_token, `/v1/agents/${agentId}/a2a`)).status).toBe(403);
      expect((await ping(body.access_token, "/v1/client-logins")).status).toBe(403);
      const headers = { authorization: `Bearer ${body.access_token}` };
      expect((await server.call("GET", "/v1/agents", undefined, headers)).status).toBe(403);
      expect((await server.call("GET", "/openai/v1/models", undefined, headers)).status).toBe(403);
    });

    test("an address that names its agent allows no other", async () => {
      const clientId = await register();
      const opened = authorize(clientId, { resource: `${server.url}/mcp?agent=${agentId}` });
      expect((await consent(server, opened, { agent_id: otherId })).said).toMatchObject({
        code: "input_invalid",
      });
      const { code } = await consent(server, opened, {});
      const { body } = await exchange(code, clientId);
      expect((await ping(body.access_token, `/mcp?agent=${agentId}`)).status).toBe(200);
    });

    test("A2A, AG-UI and OpenAI clients log in to their own address, for one agent", async () => {
      const a2a = await loggedIn({ resource: `${server.url}/v1/agents/${agentId}/a2a` });
      const clientId = await register();
      const part = authorize(clientId, { resource: `${server.url}/v1/agents/${agentId}/a2a` });
      const some = await consent(server, part, { agent_id: agentId, scopes: ["tools:read"] });
      expect(some.said).toMatchObject({ code: "input_invalid" }); // it would get nothing, or everything
      expect((await ping(a2a.body.access_token, `/v1/agents/${agentId}/a2a`)).status).toBe(200);
      expect((await ping(a2a.body.access_token, `/v1/agents/${otherId}/a2a`)).status).toBe(403);
      expect((await ping(a2a.body.access_token)).status).toBe(401);
      const agUi = await loggedIn({ resource: `${server.url}/v1/agents/${agentId}/ag-ui` });
      const bearer = { authorization: `Bearer ${agUi.body.access_token}` };
      const capabilities = await server.call(
        "GET",
        `/v1/agents/${agentId}/ag-ui/capabilities`,
        undefined,
        bearer,
      );
      expect(capabilities.status).toBe(200);
      const openAi = await loggedIn({ resource: `${server.url}/openai/v1` });
      const headers = { authorization: `Bearer ${openAi.body.access_token}` };
      const { body } = await server.call("GET", "/openai/v1/models", undefined, headers);
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual(["Keeper"]);
      const other = { model: "Other", messages: [{ role: "user", content: "hi" }] };
      expect((await server.call("POST", "/openai/v1/chat/completions", other, headers)).status).toBe(404);
    });

    test("codes and tokens are in no table", async () => {
      const { body, code } = await loggedIn();
      const { rows: tables } = await server.services.database.pool.query(
        "select table_name from information_schema.tables where table_schema = 'public'",
      );
      for (const { table_name } of tables) {
        const { rows } = await server.services.database.pool.query(`select * from "${table_name}"`);
        for (const secret of [body.access_token, body.refresh_token, code, verifier])
          expect(JSON.stringify(rows), table_name).not.toContain(secret);
      }
    });
  });
});
