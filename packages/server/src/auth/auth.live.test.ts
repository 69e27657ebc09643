import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe("on loopback", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await freshPglite(), {
      CAPSTAN_PUBLIC_HOSTS: "capstan.example.com",
      CAPSTAN_ALLOWED_ORIGINS: "https://app.example.com",
    });
  });
  afterAll(() => server.stop());

  test("no key is needed", async () => {
    expect((await server.call("GET", "/v1/agents")).status).toBe(200);
  });

  test.each([
    ["another host (DNS rebinding)", { host: "evil.example" }, 403],
    ["another site's page (cross-site request)", { origin: "http://evil.example" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["its own page", { origin: "SELF" }, 200],
    ["an unknown key", { authorization: "Bearer cap_wrong" }, 401],
  ])("a request from %s is answered %j with %i", async (_what, headers, status) => {
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === "SELF" ? server.url : value]),
    );
    expect(await rawStatus(server.url, own)).toBe(status);
  });

  test.each([
    ["names who it passes on", { "x-forwarded-for": "203.0.113.7" }],
    ["says that it is one", { via: "1.1 proxy" }],
    ["speaks the standard", { forwarded: "for=203.0.113.7" }],
    ["names the protocol", { "x-forwarded-proto": "https" }],
    ["names the address", { "x-real-ip": "203.0.113.7" }],
    ["is Cloudflare's", { "cf-connecting-ip": "203.0.113.7" }],
    ["names only itself", { "x-forwarded-by": "edge" }],
    ["is an older nginx", { "x-nginx-proxy": "true" }],
    ["is Envoy", { "x-envoy-external-address": "203.0.113.7" }],
    ["is Azure's", { "x-azure-clientip": "203.0.113.7" }],
    ["is a CDN that guards against loops", { "cdn-loop": "edge" }],
    ["is an application server's", { "wl-proxy-client-ip": "203.0.113.7" }],
    ["ends TLS", { "front-end-https": "on" }],
    ["tells the scheme", { "x-scheme": "https" }],
    ["is CloudFront", { "cloudfront-viewer-address": "203.0.113.7:1" }],
    ["is Netlify's", { "x-nf-client-connection-ip": "203.0.113.7" }],
    ["spells the standard otherwise", { "forwarded-for": "203.0.113.7" }],
    ["keeps the public name", { host: "capstan.example.com" }],
  ])("a proxy that %s requires a key, although it connects from loopback", async (_what, headers) => {
    expect(await rawStatus(server.url, headers)).toBe(401);
    const { body } = await server.call("POST", "/v1/keys", { name: "behind a proxy" });
    expect(await rawStatus(server.url, { ...headers, authorization: `Bearer ${body.key}` })).toBe(200);
  });

  test("a page of an allowed origin may use the agent protocols, and nothing else", async () => {
    const origin = "https://app.example.com";
    const asked = await fetch(`${server.url}/openai/v1/models`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toBe("authorization");
    for (const path of [
      "/mcp",
      "/openai/v1/responses",
      ...["ag-ui", "a2a", "ai-sdk"].map((name) => `/v1/agents/x/${name}`),
    ]) {
      const headers = { origin, "access-control-request-method": "POST" };
      const allowed = await fetch(server.url + path, { method: "OPTIONS", headers });
      expect(allowed.status, path).toBe(204);
      expect(allowed.headers.get("access-control-allow-origin"), path).toBe(origin);
    }
    const answer = await server.call("GET", "/openai/v1/models", undefined, { origin });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect((await server.call("GET", "/v1/agents", undefined, { origin })).status).toBe(403);
    const stranger = await server.call("GET", "/openai/v1/models", undefined, {
      origin: "https://evil.example",
    });
    expect(stranger).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    expect(stranger.body.error.message).toContain("CAPSTAN_ALLOWED_ORIGINS");
    expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("a key has its rights and nothing more", async () => {
    const { body } = await server.call("POST", "/v1/keys", {
      name: "reader",
      rights: ["read"],
      owner: "a@example.com",
    });
    const auth = { authorization: `Bearer ${body.key}` };
    expect((await server.call("GET", "/v1/agents", undefined, auth)).status).toBe(200);
    expect(await server.call("POST", "/v1/agents", { name: "no" }, auth)).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect((await server.call("GET", "/v1/keys", undefined, auth)).status).toBe(403);
  });

  test("a key is shown once and kept as a hash", async () => {
    const { body } = await server.call("POST", "/v1/keys", { name: "once" });
    const listed = await server.call("GET", "/v1/keys");
    expect(JSON.stringify(listed.body)).not.toContain(body.key);
    const { rows } = await server.services.database.pool.query("select * from api_keys");
    expect(JSON.stringify(rows)).not.toContain(body.key);
  });

  test("the limit of a key is enforced, with the time to wait", async () => {
    const { body } = await server.call("POST", "/v1/keys", { name: "slow", rights: ["read"], per_minute: 3 });
    const auth = { authorization: `Bearer ${body.key}` };
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await server.call("GET", "/v1/agents", undefined, auth));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("a provider's key is never shown again and not readable in the database", async () => {
    await server.call("PUT", "/v1/providers/anthropic", { api_key: "sk-very-secret", check: false });
    const listed = await server.call("GET", "/v1/providers");
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ provider: "anthropic", configured: true, from: "settings" }),
    );
    const { rows } = await server.services.database.pool.query("select * from provider_keys");
    expect(JSON.stringify([listed.body, rows])).not.toContain("sk-very-secret");
    expect(await server.services.providers.credentials("anthropic")).toEqual({ apiKey: "sk-very-secret" });
    await server.call("DELETE", "/v1/providers/anthropic");
  });
});

describe("bound to every address", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await freshPglite(), { HOST: "0.0.0.0" });
  });
  afterAll(() => server.stop());

  test("a key is required, except for the health check", async () => {
    const at = server.url.replace("0.0.0.0", "127.0.0.1");
    const refused = await fetch(`${at}/v1/agents`);
    expect(refused.status).toBe(401);
    expect((await refused.json()).message).toMatch(/no key was sent$/); // whoever runs the server needs one, too
    expect((await fetch(`${at}/ready`)).status).toBe(200);
    const { key } = await server.services.keys.create({
      name: "k",
      owner: "a@example.com",
      rights: ["read"],
      perMinute: 100,
    });
    expect((await fetch(`${at}/v1/agents`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
      200,
    );
  });

  test("an agent's A2A card is public, a call without a key is 401 and one without the right 403", async () => {
    const at = server.url.replace("0.0.0.0", "127.0.0.1");
    const bearer = async (right: "read" | "admin") => {
      const made = { name: right, owner: "a@example.com", rights: [right], perMinute: 1000 };
      return { authorization: `Bearer ${(await server.services.keys.create(made)).key}` };
    };
    const post = (path: string, headers = {}) =>
      fetch(at + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ name: "Open" }),
      });
    const { id } = await (await post("/v1/agents", await bearer("admin"))).json();
    const card = await fetch(`${at}/v1/agents/${id}/a2a/agent-card.json`);
    expect(card.status).toBe(200);
    expect(JSON.stringify(await card.json())).toContain("Bearer");
    expect((await post(`/v1/agents/${id}/a2a`)).status).toBe(401);
    expect((await post(`/v1/agents/${id}/a2a`, await bearer("read"))).status).toBe(403);
  });

  test("an agent's token opens /mcp and nothing else", async () => {
    const at = server.url.replace("0.0.0.0", "127.0.0.1");
    const owner = "a@example.com";
    const { key } = await server.services.keys.create({
      name: "k",
      owner,
      rights: ["author"],
      perMinute: 100,
    });
    const asKey = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(at + path, { method: "POST", headers, body: JSON.stringify(body) });
    const agent = await (await post("/v1/agents", { name: "A", capabilities: ["test_math"] }, asKey)).json();
    const made = await (await post(`/v1/agents/${agent.id}/tokens`, { name: "t" }, asKey)).json();
    const asToken = {
      ...asKey,
      authorization: `Bearer ${made.token}`,
      accept: "application/json, text/event-stream",
    };
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await post("/mcp", ping, asToken)).status).toBe(200);
    expect((await post("/mcp", ping, { ...asToken, authorization: "" })).status).toBe(401);
    expect((await fetch(`${at}/v1/agents`, { headers: asToken })).status).toBe(403);
    expect((await post("/v1/agents", { name: "B" }, asToken)).status).toBe(403);
  });
});

/** `fetch` does not let a caller set Host or Origin; node:http does. */
function rawStatus(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/agents`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end();
  });
}
