/**
 * Mix-up of authorization servers (RFC 9700, 4.4): a hostile one sends the browser on to an honest one that does not name
 * itself in its answers (RFC 9207), and would be sent the honest one's code. Each title says what would be possible.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { CLIENT, consentAt, type OAuthAccount, oauthAccount } from "../fixtures/oauth-account.ts";

const HERE = "http://capstan.test";

describe.each(STORES)("a hostile authorization server on $name", ({ fresh }) => {
  let server: TestServer;
  let honest: OAuthAccount;
  let hostile: Server;
  const sentToHostile: string[] = [];
  let redirectUri: string;
  beforeAll(async () => {
    hostile = createServer(async (request, response) => {
      for await (const chunk of request) sentToHostile.push(String(chunk));
      response.writeHead(200, { "content-type": "application/json" }).end('{"access_token":"t-12345678"}');
    });
    await new Promise<void>((done) => hostile.listen(0, "127.0.0.1", done));
    const host = `127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    redirectUri = `${HERE}/connections/from/postbox`;
    honest = await oauthAccount(redirectUri);
    const allowed = { CAPSTAN_PUBLIC_URL: HERE, CAPSTAN_ALLOW_HOSTS: `${honest.host},${host}` };
    server = await testServer(await fresh(), allowed);
    const put = async (id: string, body: object) =>
      expect((await server.call("PUT", `/v1/connection-providers/${id}`, body)).status).toBe(200);
    await put("postbox", {
      name: "Postbox",
      issuer: honest.url,
      hosts: [honest.host],
      base_scopes: ["openid"],
      ...CLIENT,
    });
    await put("hostile", {
      name: "Hostile",
      authorization_url: `http://${host}/authorize`,
      token_url: `http://${host}/token`,
      hosts: [host],
      client_id: "c",
    });
  });
  afterAll(async () => {
    await server?.stop();
    await honest?.close();
    await new Promise((done) => hostile?.close(done));
  });

  /** What the honest server answers when the hostile one sends the browser on to it. */
  async function mixedUp(): Promise<Record<string, string>> {
    const begun = await server.call("POST", "/v1/connections", { provider: "hostile" });
    const there = new URL(begun.body.authorization_url).searchParams;
    const onward = new URL(`${honest.url}/auth`);
    for (const name of ["state", "code_challenge", "code_challenge_method"])
      onward.searchParams.set(name, there.get(name) ?? "");
    const asked = {
      client_id: CLIENT.client_id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid",
    };
    for (const [name, value] of Object.entries(asked)) onward.searchParams.set(name, value);
    return consentAt(onward.href, redirectUri);
  }
  const refused = { status: 502, body: { code: "connection_refused" } };

  test.each([
    ["as the browser came back", (answer: Record<string, string>) => answer],
    ["without the place", ({ at: _, ...answer }: Record<string, string>) => answer],
  ])("would be sent the code of an honest one that does not name itself, %s", async (_, sent) => {
    const { iss: _iss, ...answer } = await mixedUp();
    expect(answer.code).toBeTruthy();
    expect(await server.call("POST", "/v1/connections/finish", sent(answer))).toMatchObject(refused);
    expect(sentToHostile).toEqual([]);
  });

  test("would be believed where the honest one always names itself, and the name is missing", async () => {
    const begun = await server.call("POST", "/v1/connections", { provider: "postbox" });
    const { iss, ...answer } = await consentAt(begun.body.authorization_url, redirectUri);
    expect(iss).toBe(honest.url);
    expect(await server.call("POST", "/v1/connections/finish", answer)).toMatchObject(refused);
  });

  test("is no reason to refuse an honest one", async () => {
    const begun = await server.call("POST", "/v1/connections", { provider: "postbox" });
    const answer = await consentAt(begun.body.authorization_url, redirectUri);
    expect((await server.call("POST", "/v1/connections/finish", answer)).status).toBe(200);
  });
});
