/** Clients that are described by a document, as the vendors publish theirs: with and without a key of their own. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { consent } from "../../../../tools/oauth-client.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { noteIssued, tokensIn } from "../../../../tools/token-search.ts";

const TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const HOSTED = "https://chatgpt.example/connector_platform_oauth_redirect";

let server: TestServer;
let documents: Server;
let host: string;
let agentId: string;
let sign: (claims?: object, subject?: string) => Promise<string>;
/** What the documents' server answers, by path, and how often it was asked. */
const published = new Map<string, { body: object; cache?: string }>();
const asked: string[] = [];

beforeAll(async () => {
  documents = createServer(({ url = "" }, response) => {
    asked.push(url);
    const { body, cache } = published.get(url) ?? {};
    response.writeHead(body ? 200 : 404, {
      "content-type": "application/json",
      ...(cache && { "cache-control": cache }),
    });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((done) => documents.listen(0, "127.0.0.1", done));
  host = `127.0.0.1:${(documents.address() as AddressInfo).port}`;
  server = await testServer(await freshPglite(), { CAPSTAN_ALLOW_HOSTS: host });
  agentId = (await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] })).body.id;
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  published.set("/jwks.json", {
    body: { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "RS256" }] },
  });
  sign = (claims = {}, subject = urlOf("/chatgpt.json")) => {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: subject, sub: subject, aud: `${server.url}/token`, iat: now, exp: now + 60 };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .sign(privateKey);
  };
  publish("/chatgpt.json", {
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "RS256",
  });
  publish("/either.json", {
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  });
});
afterAll(async () => {
  await server?.stop();
  documents?.close();
});

const urlOf = (path: string) => `http://${host}${path}`;

function publish(path: string, more: object, cache?: string): string {
  const body = {
    client_id: urlOf(path),
    client_uri: "https://chatgpt.example/",
    client_name: "ChatGPT",
    redirect_uris: [HOSTED],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    jwks_uri: urlOf("/jwks.json"),
    ...more,
  };
  published.set(path, { body, ...(cache && { cache }) });
  return urlOf(path);
}

const verifier = randomBytes(32).toString("base64url");

async function allowed(clientId: string, redirectUri = HOSTED) {
  const url = new URL(`${server.url}/authorize`);
  const query = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${server.url}/mcp`,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return consent(server, url, { agent_id: agentId });
}

async function token(fields: Record<string, string>) {
  const response = await fetch(`${server.url}/token`, { method: "POST", body: new URLSearchParams(fields) });
  const body = (await response.json()) as Record<string, string>;
  noteIssued(...tokensIn(body));
  return { status: response.status, body };
}

const withCode = (code: string, more: Record<string, string>) =>
  token({ grant_type: "authorization_code", code, redirect_uri: HOSTED, code_verifier: verifier, ...more });

describe("a client with a key of its own", () => {
  test("logs in and refreshes with signatures, also without naming itself beside them", async () => {
    const clientId = urlOf("/chatgpt.json");
    const { code } = await allowed(clientId);
    const signed = async () => ({ client_assertion_type: TYPE, client_assertion: await sign() });
    const first = await withCode(code, { client_id: clientId, ...(await signed()) });
    expect(first.status).toBe(200);
    const refresh = { grant_type: "refresh_token", refresh_token: first.body.refresh_token ?? "" };
    const without = await token({ ...refresh, client_id: clientId });
    expect(without).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect((await token({ ...refresh, ...(await signed()) })).status).toBe(200);
  });

  test.each<[string, () => Record<string, unknown> | undefined, RegExp]>([
    ["nothing", () => undefined, /missing/],
    ["a signature for another server", () => ({ aud: "https://other.example/token" }), /aud/],
    ["one of another client", () => ({ iss: "https://other.example/client.json" }), /iss/],
    ["one that has expired", () => ({ exp: Math.floor(Date.now() / 1000) - 60 }), /exp/],
    ["one that never expires", () => ({ exp: undefined }), /exp/],
    [
      "one that another server could use, too",
      () => ({ aud: ["https://other.example", server.url] }),
      /other servers/,
    ],
    ["one made long ago", () => ({ iat: Math.floor(Date.now() / 1000) - 3600 }), /iat/],
  ])("is refused with %s, and its code remains", async (_what, claims, why) => {
    const clientId = urlOf("/chatgpt.json");
    const { code } = await allowed(clientId);
    const proof = async (given: object | undefined): Promise<Record<string, string>> =>
      given ? { client_assertion_type: TYPE, client_assertion: await sign(given) } : {};
    const refused = await withCode(code, { client_id: clientId, ...(await proof(claims())) });
    expect(refused).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(refused.body.error_description).toMatch(why);
    expect((await withCode(code, { client_id: clientId, ...(await proof({})) })).status).toBe(200);
  });

  test("that can do without is believed without, and a wrong signature of it is refused", async () => {
    const clientId = urlOf("/either.json");
    const wrong = { client_assertion_type: TYPE, client_assertion: await sign() };
    const { code } = await allowed(clientId);
    expect((await withCode(code, { client_id: clientId, ...wrong })).status).toBe(401);
    expect((await withCode(code, { client_id: clientId })).status).toBe(200);
  });

  test("that signed once signs from then on: its copied refresh token is of no use", async () => {
    const clientId = urlOf("/either.json");
    const { code } = await allowed(clientId);
    const signed = { client_assertion_type: TYPE, client_assertion: await sign({}, clientId) };
    const first = await withCode(code, { client_id: clientId, ...signed });
    const refresh = { grant_type: "refresh_token", refresh_token: first.body.refresh_token ?? "" };
    expect((await token({ ...refresh, client_id: clientId })).body.error).toBe("invalid_client");
    expect((await token({ ...refresh, client_id: clientId, ...signed })).status).toBe(200);
  });

  test("would fill the memory with keys", async () => {
    const keys = [{ kty: "RSA", kid: "k", e: "AQAB", n: "x".repeat(100_000) }];
    published.set("/large.json", { body: { keys } });
    const clientId = publish("/many-keys.json", {
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: urlOf("/large.json"),
    });
    const { code } = await allowed(clientId);
    const given = {
      client_id: clientId,
      client_assertion_type: TYPE,
      client_assertion: await sign({}, clientId),
    };
    expect((await withCode(code, given)).body.error_description).toMatch(/larger than/);
  });

  test("makes the server fetch nothing with a code that nobody was given", async () => {
    const before = asked.length;
    const client_id = publish("/unasked.json", { token_endpoint_auth_method: "private_key_jwt" });
    const given = { client_id, client_assertion_type: TYPE, client_assertion: await sign({}, client_id) };
    expect((await withCode("code_unknown", given)).body.error).toBe("invalid_grant");
    expect(asked.slice(before)).toEqual([]);
  });

  test("would let whoever has its code make the server fetch without end", async () => {
    published.set("/often.json", { body: { keys: [] } });
    const clientId = publish("/fetches.json", {
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: urlOf("/often.json"),
    });
    const { code } = await allowed(clientId);
    const signature = await sign({}, clientId);
    const given = { client_id: clientId, client_assertion_type: TYPE, client_assertion: signature };
    const answers = await Promise.all(Array.from({ length: 60 }, () => withCode(code, given)));
    expect(answers.every(({ status }) => status === 401)).toBe(true);
    expect(asked.filter((url) => url === "/often.json").length).toBeLessThanOrEqual(30);
  });
});

test.each([
  ["only by a secret", { token_endpoint_auth_method: "client_secret_post" }, /offers neither/],
  [
    "only by a key that is nowhere",
    { token_endpoint_auth_method: "private_key_jwt", jwks_uri: undefined },
    /offers neither/,
  ],
  ["without a name", { client_name: undefined }, /client_name/],
  ["without a redirect", { redirect_uris: [] }, /redirect_uris/],
])("a document that describes a client %s is refused", async (what, more, why) => {
  const { said } = await allowed(publish(`/${what.replaceAll(" ", "-")}.json`, more));
  expect(said).toMatchObject({ code: "client_unknown", message: expect.stringMatching(why) });
});

test.each(["/a/../chatgpt.json", "/./chatgpt.json", "/a/%2e%2e/chatgpt.json", "/", "/chatgpt.json#part"])(
  "an address such as %s is no client id",
  async (path) => {
    publish(path, {});
    expect((await allowed(urlOf(path))).said).toMatchObject({ code: "client_unknown" });
  },
);

test("a document is kept as long as its server says, and one that fails is not kept", async () => {
  const readings = async (path: string, cache?: string) => {
    const url = publish(path, {}, cache);
    await allowed(url);
    await allowed(url);
    return asked.filter((each) => each === path).length;
  };
  expect(await readings("/kept.json")).toBe(1);
  expect(await readings("/long.json", "public, max-age=60")).toBe(1);
  expect(await readings("/short.json", "max-age=0")).toBe(2);
  expect(await readings("/never.json", "no-store")).toBe(2);
  const late = urlOf("/late.json");
  expect((await allowed(late)).status).toBe(400);
  publish("/late.json", {});
  expect((await allowed(late)).status).toBe(200);
});

test("a person sees which host and port the login goes to, and that any program there could claim the name", async () => {
  const clientId = publish("/claude-code.json", {
    client_name: "Claude Code",
    redirect_uris: ["http://localhost/callback"],
  });
  const request = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: "http://localhost:54321/callback",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const review = await server.call("POST", "/v1/client-logins/review", { request });
  expect(review.body.client).toMatchObject({
    host,
    receiver: "a program on your machine (localhost:54321)",
    loopback: true,
  });
});
