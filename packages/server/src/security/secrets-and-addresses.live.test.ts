/** A secret goes to the address that it was given for. Whoever names another address, an admin too, brings a secret of their own. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const OPERATORS = "sk-of-the-operator-1234567890";
const ADMINS = "sk-of-one-admin-1234567890";

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  let evil: Server;
  let address: string;
  const received: string[] = [];
  beforeAll(async () => {
    evil = createServer((request, response) => {
      received.push(JSON.stringify(request.headers));
      response.writeHead(request.method === "GET" ? 200 : 400, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: "m" }], error: { message: "no" } }));
    });
    await new Promise<void>((done) => evil.listen(0, "127.0.0.1", done));
    address = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/v1`;
    server = await testServer(await fresh(), {
      OPENAI_API_KEY: OPERATORS,
      OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
      OPENAI_COMPATIBLE_API_KEY: OPERATORS,
    });
  });
  afterAll(async () => {
    await server?.stop();
    evil?.closeAllConnections();
    evil?.close();
  });
  beforeEach(() => {
    received.length = 0;
  });

  const put = (provider: string, body: object, who = {}) =>
    server.call("PUT", `/v1/providers/${provider}`, body, who);
  async function say(model: string): Promise<void> {
    const agent = await server.call("POST", "/v1/agents", { name: "A", model });
    const request = { model: agent.body.id, messages: [{ role: "user", content: "hi" }] };
    await server.call("POST", "/openai/v1/chat/completions", request);
  }

  test("the operator's model key would be sent to an address that an admin names", async () => {
    for (const check of [true, false]) {
      const moved = await put("openai", { base_url: address, check });
      expect(moved).toMatchObject({ status: 422, body: { code: "provider_key_missing" } });
    }
    expect((await put("openai-compatible", { base_url: address, check: false })).status).toBe(200); // works without a key
    await say("openai-compatible/m");
    expect(received.length).toBeGreaterThan(0);
    expect(received.join()).not.toContain(OPERATORS);
  });

  test("a key that one admin saved would be sent to an address that another names", async () => {
    expect((await put("mistral", { api_key: ADMINS, check: false })).status).toBe(200);
    expect((await put("mistral", { base_url: address, check: false })).status).toBe(422);
    const own = { base_url: address.replace("/v1", "/own/v1"), api_key: ADMINS, check: false };
    expect((await put("house", own)).status).toBe(200);
    expect((await put("house", { base_url: address, check: false })).status).toBe(200); // of a server that may need none
    await say("house/m");
    expect(received.length).toBeGreaterThan(0);
    expect(received.join()).not.toContain(ADMINS);
  });

  test("an organisation's admin would reach the machine's ports as a model server", async () => {
    const made = await server.call("POST", "/v1/organisations", { id: "acme", name: "Acme" });
    const acme = { authorization: `Bearer ${made.body.key}` };
    for (const provider of ["openai", "openai-compatible", "own"]) {
      const asked = await put(provider, { base_url: address, api_key: "k", check: true }, acme);
      expect(asked, provider).toMatchObject({ status: 403, body: { code: "organisation_of_operator" } });
    }
    expect(received).toEqual([]);
    expect((await put("openai", { api_key: "sk-of-acme", check: false }, acme)).status).toBe(200);
  });

  test("users' accounts would follow a provider to hosts that an admin names later", async () => {
    const provider = "/v1/connection-providers/shop";
    const shop = { kind: "api_key", hosts: ["shop.example"] };
    const status = async () =>
      (await server.call("GET", "/v1/connections")).body.items.find(
        (each: { provider: string }) => each.provider === "shop",
      ).status;
    expect((await server.call("PUT", provider, shop)).status).toBe(200);
    await server.call("POST", "/v1/connections", { provider: "shop", key: "a-key-of-mia" });
    expect((await server.call("PUT", provider, { ...shop, name: "The shop" })).status).toBe(200);
    expect(await status()).toBe("active");
    await server.call("PUT", provider, { ...shop, hosts: ["shop.example", "evil.example"] });
    expect(await status()).toBe("ended");
    await server.call("POST", "/v1/connections", { provider: "shop", key: "a-key-of-mia" });
    await server.call("DELETE", provider);
    await server.call("PUT", provider, { ...shop, hosts: ["evil.example"] });
    expect(await status()).toBe("ended");
  });

  test("the client's secret would follow a provider to another token endpoint", async () => {
    const provider = "/v1/connection-providers/house";
    const house = {
      client_id: "capstan",
      authorization_url: "https://house.example/authorize",
      token_url: "https://house.example/token",
      hosts: ["house.example"],
    };
    const made = await server.call("PUT", provider, { ...house, client_secret: "a-secret-of-the-client" });
    expect(made.body.has_secret).toBe(true);
    expect((await server.call("PUT", provider, { ...house, name: "House" })).body.has_secret).toBe(true);
    const moved = await server.call("PUT", provider, { ...house, token_url: "https://evil.example/token" });
    expect(moved.body.has_secret).toBe(false);
  });
});
