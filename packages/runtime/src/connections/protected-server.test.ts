import { fail, type GuardedFetch, ok } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { discoverProtectedServer, parameter } from "./protected-server.ts";
import { clientDocumentPath, registerClient } from "./register-client.ts";

const MCP = "https://tools.example/team/mcp";
const AT = "https://tools.example/.well-known/oauth-protected-resource/team/mcp";
const LOGIN = "https://login.example";
const SERVER = {
  issuer: LOGIN,
  authorization_endpoint: `${LOGIN}/authorize`,
  token_endpoint: `${LOGIN}/token`,
  registration_endpoint: `${LOGIN}/register`,
  code_challenge_methods_supported: ["S256"],
};
const RESOURCE = { resource: MCP, authorization_servers: [LOGIN], scopes_supported: ["a", "b"] };
const SERVER_AT = `${LOGIN}/.well-known/oauth-authorization-server`;

/** A network that has these documents and nothing else. */
const network =
  (documents: Record<string, unknown>): GuardedFetch =>
  async (url) =>
    url in documents
      ? ok(new Response(JSON.stringify(documents[url]), { headers: { "content-type": "application/json" } }))
      : ok(new Response(null, { status: 404 }));

describe("a server that wants a login", () => {
  test("is found by its well-known document, with the scopes it lists", async () => {
    const found = await discoverProtectedServer(network({ [AT]: RESOURCE, [SERVER_AT]: SERVER }), MCP, "");
    expect(found).toMatchObject({
      ok: true,
      value: { host: "tools.example", resource: MCP, scopes: [], offered: ["a", "b"] },
    });
  });

  test("is found by the document that its challenge names, with the scopes it demands", async () => {
    const named = "https://tools.example/about-me";
    const challenge = `Bearer error="invalid_token", scope="b c", resource_metadata="${named}"`;
    const found = await discoverProtectedServer(
      network({ [named]: RESOURCE, [SERVER_AT]: SERVER }),
      MCP,
      challenge,
    );
    expect(found).toMatchObject({ ok: true, value: { scopes: ["b", "c"], offered: ["b", "c"] } });
  });

  test("of the time before RFC 9728 is its own authorization server", async () => {
    const own = { ...SERVER, issuer: "https://tools.example" };
    const found = await discoverProtectedServer(
      network({ "https://tools.example/.well-known/oauth-authorization-server": own }),
      MCP,
      "",
    );
    expect(found).toMatchObject({ ok: true, value: { resource: MCP } });
  });

  test.each([
    ["another host's address", { resource: MCP.replace("tools", "victim") }, {}, "another address"],
    ["a path beside its own", { resource: "https://tools.example/other" }, {}, "another address"],
    ["a path that only begins like its own", { resource: "https://tools.example/te" }, {}, "another address"],
    ["a server without PKCE", {}, { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["a server that does not say it has PKCE", {}, { code_challenge_methods_supported: undefined }, "PKCE"],
    ["a login over plain http", {}, { token_endpoint: "http://login.example/token" }, "TLS"],
    [
      "another issuer than it asked",
      {},
      { issuer: "https://victim.example" },
      "there is metadata of https://victim.example",
    ],
    ["an address that runs code", {}, { authorization_endpoint: "javascript:alert(1)" }, "no metadata"],
  ])("is refused when it names %s", async (_, resource, server, why) => {
    const documents = { [AT]: { ...RESOURCE, ...resource }, [SERVER_AT]: { ...SERVER, ...server } };
    const found = await discoverProtectedServer(network(documents), MCP, "");
    expect(found).toMatchObject({
      ok: false,
      failure: { code: "mcp_login_unusable", message: expect.stringContaining(why) },
    });
  });

  test("is found although its authorization server redirects what it does not have", async () => {
    const known = network({ [AT]: RESOURCE, [SERVER_AT]: SERVER });
    const found = await discoverProtectedServer(
      async (url, options) =>
        url.includes("openid-configuration")
          ? fail("url_refused", { url, why: "it redirects" })
          : known(url, options),
      MCP,
      "",
    );
    expect(found).toMatchObject({ ok: true });
  });

  test("says why its authorization server cannot be reached, not that it has no metadata", async () => {
    const refused = fail("url_refused", { url: LOGIN, why: "it is a private address" });
    const known = network({ [AT]: RESOURCE });
    const found = await discoverProtectedServer(
      async (url, options) => (url.startsWith(LOGIN) ? refused : known(url, options)),
      MCP,
      "",
    );
    expect(found).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining("private address") },
    });
  });

  test("is another provider when its login moves, so that tokens do not move with it", async () => {
    const at = async (issuer: string) => {
      const documents = {
        [AT]: { ...RESOURCE, authorization_servers: [issuer] },
        [`${issuer}/.well-known/oauth-authorization-server`]: { ...SERVER, issuer },
      };
      const found = await discoverProtectedServer(network(documents), MCP, "");
      return found.ok ? found.value.providerId : "";
    };
    expect(await at(LOGIN)).toMatch(/^mcp\.tools\.example\.[0-9a-f]{12}$/);
    expect(await at("https://elsewhere.example")).not.toBe(await at(LOGIN));
  });
});

describe("becoming its client", () => {
  const NOTES = { provider: "notes", byHand: "" };
  const refuse: GuardedFetch = async () => fail("cancelled", { what: "no network here" });

  test("is done by our own document where the server reads such, and we have an address on TLS", async () => {
    const server = { ...SERVER, client_id_metadata_document_supported: true };
    expect(await registerClient(refuse, server, "https://capstan.example", NOTES)).toEqual({
      ok: true,
      value: { clientId: `https://capstan.example${clientDocumentPath("notes")}`, proof: "body" },
    });
    expect((await registerClient(refuse, server, "http://127.0.0.1:4400", NOTES)).ok).toBe(false);
  });

  test("says what to do by hand where the server registers nobody", async () => {
    const server = { ...SERVER, registration_endpoint: undefined };
    expect(
      await registerClient(refuse, server, "https://capstan.example", {
        ...NOTES,
        byHand: "capstan connections …",
      }),
    ).toMatchObject({ failure: { message: expect.stringContaining("capstan connections …") } });
  });

  test("asks for no secret where none is needed, and on loopback for both of its names", async () => {
    let sent: { redirect_uris?: string[]; token_endpoint_auth_method?: string } = {};
    const fetch: GuardedFetch = async (_, options) => {
      sent = JSON.parse(String(options?.body));
      return ok(Response.json({ client_id: "c1" }, { status: 201 }));
    };
    const server = { ...SERVER, token_endpoint_auth_methods_supported: ["client_secret_post", "none"] };
    const made = await registerClient(fetch, server, "http://127.0.0.1:4400", NOTES);
    expect(made).toMatchObject({ ok: true, value: { clientId: "c1", secret: undefined } });
    expect(sent).toMatchObject({
      token_endpoint_auth_method: "none",
      redirect_uris: [
        "http://127.0.0.1:4400/connections/from/notes",
        "http://localhost:4400/connections/from/notes",
      ],
    });
  });
});

test.each([
  ['Bearer scope="a b"', "scope", "a b"],
  ["Bearer scope=a", "scope", "a"],
  ['Bearer error="x", resource_metadata="https://a.example/b"', "resource_metadata", "https://a.example/b"],
  ['Bearer my_scope="a"', "scope", undefined],
  ["", "scope", undefined],
])("of the challenge %s the %s is %s", (challenge, name, value) => {
  expect(parameter(challenge, name)).toBe(value);
});
