/** Connections on a real server, with a real authorization server and API on loopback. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { CLIENT, consentAt, type OAuthAccount, oauthAccount } from "../fixtures/oauth-account.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/postbox`;

describe.each(STORES)("connections on $name", ({ fresh }) => {
  let server: TestServer;
  let account: OAuthAccount;
  beforeAll(async () => {
    account = await oauthAccount(REDIRECT);
    server = await testServer(await fresh(), {
      CAPSTAN_PUBLIC_URL: HERE,
      CAPSTAN_ALLOW_HOSTS: account.host,
      CAPSTAN_CONNECTION_CLIENTS: JSON.stringify({ google: { client_id: "from-the-environment" } }),
    });
    const made = await server.call("PUT", "/v1/connection-providers/postbox", {
      name: "Postbox",
      issuer: account.url,
      hosts: [account.host],
      ...CLIENT,
    });
    expect(made).toMatchObject({ status: 200, body: { ready: true, has_secret: true } });
  });
  afterAll(async () => {
    await server?.stop();
    await account?.close();
  });

  const start = async (body: object) => (await server.call("POST", "/v1/connections", body)).body;
  const connect = async (scopes: string[], headers = {}) => {
    const { authorization_url } = await start({ provider: "postbox", scopes });
    const answer = await consentAt(authorization_url, REDIRECT);
    return server.call("POST", "/v1/connections/finish", answer, headers);
  };

  test("a provider's addresses are read from its issuer, and its secret is never shown", async () => {
    const { body } = await server.call("GET", "/v1/connection-providers");
    const found = body.items.find(({ id }: { id: string }) => id === "postbox");
    expect(found).toMatchObject({
      token_url: `${account.url}/token`,
      revocation_url: `${account.url}/token/revocation`,
      redirect_uri: REDIRECT,
      hosts: [account.host],
      base_scopes: ["openid", "email", "offline_access"],
    });
    expect(JSON.stringify(body)).not.toContain(CLIENT.client_secret);
    const ready = body.items.filter((each: { ready: boolean }) => each.ready);
    expect(ready.map(({ id }: { id: string }) => id)).toEqual(["google", "postbox"]);
  });

  test.each([
    ["hosts of a listed one", "google", { client_id: "a", hosts: ["evil.example"] }, "hosts: is fixed"],
    [
      "none at all",
      "own",
      { client_id: "a", authorization_url: "https://a.example", token_url: "https://a.example" },
      "hosts: is missing",
    ],
    ["no client", "github", {}, "client_id: is missing"],
    ["an unknown field", "github", { client_id: "a", tokens: "b" }, "tokens"],
    ["a host with a path", "own", { client_id: "a", hosts: ["a.example/x"] }, "is no host"],
  ])("settings with %s are refused", async (_, id, settings, why) => {
    const refused = await server.call("PUT", `/v1/connection-providers/${id}`, settings);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain(why);
  });

  test("an account is connected by code and PKCE, named, listed without its token, and written down", async () => {
    const { authorization_url } = await start({ provider: "postbox", scopes: ["mail.read"] });
    const { searchParams } = new URL(authorization_url);
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    expect(searchParams.get("scope")).toBe("openid email offline_access mail.read");
    const answer = await consentAt(authorization_url, REDIRECT);
    const finished = await server.call("POST", "/v1/connections/finish", answer);
    expect(finished).toMatchObject({ status: 200, body: { missing_scopes: [], session_id: null } });
    expect(finished.body.connection).toMatchObject({
      provider: "postbox",
      provider_name: "Postbox",
      account: "mia@provider.example",
      status: "active",
      consents: [{ agent_id: "*", until: null }],
    });
    expect(finished.body.connection.scopes).toContain("mail.read");
    const listed = await server.call("GET", "/v1/connections");
    const audit = await server.call("GET", "/v1/audit");
    expect(audit.body.items[0]).toMatchObject({ action: "connection.made" });
    const shown = JSON.stringify([listed.body, audit.body, finished.body]);
    for (const token of account.tokens) expect(shown).not.toContain(token);
  });

  test("an answer counts once, and an invented one never", async () => {
    const { authorization_url } = await start({ provider: "postbox", scopes: ["mail.read"] });
    const answer = await consentAt(authorization_url, REDIRECT);
    expect((await server.call("POST", "/v1/connections/finish", answer)).status).toBe(200);
    const again = await server.call("POST", "/v1/connections/finish", answer);
    expect(again).toMatchObject({ status: 400, body: { code: "connection_login_unknown" } });
    const invented = await server.call("POST", "/v1/connections/finish", { ...answer, state: "made-up" });
    expect(invented.body.code).toBe("connection_login_unknown");
  });

  test("an answer that comes too late is refused", async () => {
    const { authorization_url } = await start({ provider: "postbox", scopes: ["mail.read"] });
    const answer = await consentAt(authorization_url, REDIRECT);
    await server.services.database.pool.query(
      "update connection_logins set expires_at = now() - interval '1 second'",
    );
    const late = await server.call("POST", "/v1/connections/finish", answer);
    expect(late).toMatchObject({ status: 400, body: { code: "connection_login_unknown" } });
  });

  test("nobody begins without end", async () => {
    const begun: number[] = [];
    for (let login = 0; login <= 20; login++)
      begun.push((await server.call("POST", "/v1/connections", { provider: "postbox" })).status);
    expect(begun.at(-1)).toBe(400);
    await server.services.database.pool.query("delete from connection_logins");
  });

  test("an answer of another server is refused", async () => {
    const { authorization_url } = await start({ provider: "postbox", scopes: ["mail.read"] });
    const answer = await consentAt(authorization_url, REDIRECT);
    const mixed = await server.call("POST", "/v1/connections/finish", {
      ...answer,
      iss: "https://evil.example",
    });
    expect(mixed).toMatchObject({ status: 502, body: { code: "connection_refused" } });
  });

  test("another user can neither finish, see nor end it", async () => {
    const key = await server.call("POST", "/v1/keys", {
      name: "other",
      owner: "other@example.com",
      rights: ["run"],
    });
    const other = { authorization: `Bearer ${key.body.key}` };
    expect((await connect(["mail.read"], other)).body.code).toBe("connection_login_unknown");
    const [mine] = (await server.call("GET", "/v1/connections")).body.items;
    expect((await server.call("GET", "/v1/connections", undefined, other)).body.items).toEqual([]);
    expect((await server.call("DELETE", `/v1/connections/${mine.id}`, undefined, other)).status).toBe(404);
    expect((await server.call("GET", `/v1/connections/${mine.id}/uses`, undefined, other)).status).toBe(404);
  });

  test("revoking ends it here and at the provider", async () => {
    const made = (await connect(["mail.read"])).body.connection;
    const revoked = await server.call("DELETE", `/v1/connections/${made.id}`);
    expect(revoked).toMatchObject({ status: 200, body: { revoked_at_provider: true } });
    expect((await server.call("GET", "/v1/connections")).body.items).toEqual([]);
  });

  test("a key and a password are kinds of connection", async () => {
    await server.call("PUT", "/v1/connection-providers/weather", {
      kind: "api_key",
      hosts: ["api.weather.example"],
      header: "X-Api-Key",
    });
    await server.call("PUT", "/v1/connection-providers/shop", { kind: "basic", hosts: ["shop.example"] });
    const lacking = await server.call("POST", "/v1/connections", { provider: "weather" });
    expect(lacking.body.message).toContain("key: is missing");
    const keyed = await start({ provider: "weather", key: "a-key-of-mia" });
    expect(keyed).toMatchObject({
      authorization_url: null,
      connection: { kind: "api_key", status: "active" },
    });
    const basic = await start({ provider: "shop", user: "mia", password: "a-password-of-mia" });
    expect(basic.connection).toMatchObject({ kind: "basic", account: "mia" });
    const shown = JSON.stringify((await server.call("GET", "/v1/connections")).body);
    expect(shown).not.toMatch(/a-key-of-mia|a-password-of-mia/);
  });
});
