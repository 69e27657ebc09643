/** A command line signs in by the device flow of a real OpenID provider, and what must not work. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confirmCode, type TestProvider, testProvider } from "../../../../tools/openid-provider.ts";
import { freshPglite, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

/** One character in the middle is another. */
const flipped = (text: string) => `${text.slice(0, 40)}${text[40] === "A" ? "B" : "A"}${text.slice(41)}`;

const settingsOf = (op: TestProvider) => ({
  CAPSTAN_OIDC_ISSUER: op.issuer,
  CAPSTAN_OIDC_CLIENT_ID: op.clientId,
  CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
  CAPSTAN_OIDC_ADMINS: "groups=chiefs",
});

describe.each(STORES)("on $name", ({ fresh }) => {
  let op: TestProvider;
  let server: TestServer;
  let owner: Record<string, string>;
  beforeAll(async () => {
    op = await testProvider([
      { sub: "alice", email: "alice@example.com", email_verified: true, name: "Alice", groups: ["chiefs"] },
      { sub: "bob", email: "bob@example.com", email_verified: true, name: "Bob" },
    ]);
    const store = await fresh();
    server = await testServer(store, settingsOf(op));
    await op.allow(server.url);
    owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
  });
  afterAll(async () => {
    await server?.stop();
    await op?.close();
  });

  const start = async () => {
    const answer = await server.call("POST", "/v1/logins/device", { device: "a laptop" });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return answer.body;
  };
  const poll = (handle: string) => server.call("POST", "/v1/logins/device/poll", { handle });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const me = (token: string) => server.call("GET", "/v1/me", undefined, as(token));
  async function signIn(person: string) {
    const { handle, verification_uri_complete } = await start();
    await confirmCode(verification_uri_complete, person);
    const { body } = await poll(handle);
    expect(body.status, JSON.stringify(body)).toBe("done");
    return { ...body, handle };
  }

  test("a confirmed code is a login of kind `command line` with the person's role, listed and bounded in time", async () => {
    const { token, login_id, expires_at } = await signIn("alice");
    expect((await me(token)).body).toMatchObject({ user: "alice@example.com", rights: ["admin"], login_id });
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(12);
    const { items } = (await server.call("GET", "/v1/logins", undefined, as(token))).body;
    expect(items.find(({ id }: { id: string }) => id === login_id)).toMatchObject({
      kind: "command line",
      device: "a laptop",
      is_this: true,
    });
    const { rows } = await server.services.database.pool.query("select * from logins");
    expect(JSON.stringify(rows)).not.toContain(token.slice("login_".length));
  });

  test("a revoked login ends at once", async () => {
    const { token, login_id } = await signIn("alice");
    expect((await server.call("DELETE", `/v1/logins/${login_id}`, undefined, owner)).status).toBe(204);
    expect((await me(token)).status).toBe(401);
  });

  test("who has no role signs in, may do nothing, and can sign out", async () => {
    const { token } = await signIn("bob");
    expect((await server.call("GET", "/v1/agents", undefined, as(token))).status).toBe(403);
    expect((await server.call("POST", "/v1/logins/end", undefined, as(token))).status).toBe(204);
    expect((await me(token)).status).toBe(401);
    expect((await server.call("POST", "/v1/logins/end")).status).toBe(401);
  });

  test("a handle is valid for one login", async () => {
    const { handle } = await signIn("alice");
    expect((await poll(handle)).body).not.toHaveProperty("token");
  });

  test("before it is confirmed the provider is asked at its own interval, however often we are asked", async () => {
    const { handle, interval } = await start();
    const before = op.tokens.asked;
    for (let count = 0; count < 5; count++)
      expect((await poll(" ".repeat(count) + handle)).body).toEqual({ status: "pending", interval }); // spelt otherwise
    expect(op.tokens.asked - before).toBe(1);
  });

  test("a provider that says slow_down is asked five seconds later from then on", async () => {
    const { handle, interval } = await start();
    op.tokens.refuse = "slow_down";
    const slower = await poll(handle);
    op.tokens.refuse = undefined;
    expect(slower.body).toEqual({ status: "pending", interval: interval + 5 });
  });

  test("denied by the person: login_denied, and no login", async () => {
    const { handle, verification_uri_complete } = await start();
    await confirmCode(verification_uri_complete, "");
    expect(await poll(handle)).toMatchObject({ status: 403, body: { code: "login_denied" } });
  });

  test.each([
    ["expired_token", 410, "login_expired"],
    ["invalid_grant", 410, "login_expired"],
    ["invalid_client", 502, "sign_in_failed"],
  ])("the provider's %s is %d %s", async (error, status, code) => {
    const { handle } = await start();
    op.tokens.refuse = error;
    const answer = await poll(handle);
    op.tokens.refuse = undefined;
    expect(answer).toMatchObject({ status, body: { code } });
  });

  test("a handle that is invented, changed or of another kind is refused without asking the provider", async () => {
    const { handle } = await start();
    const before = op.tokens.asked;
    const attempt = server.services.attemptBox.seal(JSON.stringify({ code: "x" }));
    for (const each of ["x", handle.slice(0, -4), flipped(handle), attempt])
      expect(await poll(each)).toMatchObject({ status: 410, body: { code: "login_expired" } });
    expect((await server.call("POST", "/v1/logins/device/poll", { handle, more: 1 })).status).toBe(422);
    expect(op.tokens.asked).toBe(before);
  });

  test("who was disabled gets no login", async () => {
    op.people.set("dan", { sub: "dan", email: "dan@example.com", email_verified: true });
    await signIn("dan");
    await server.call("PUT", "/v1/users/dan@example.com", { disabled: true }, owner);
    const { handle, verification_uri_complete } = await start();
    await confirmCode(verification_uri_complete, "dan");
    expect(await poll(handle)).toMatchObject({ status: 403, body: { code: "person_refused" } });
  });
});

test.each([
  ["without a provider", false, "sign_in_not_set_up"],
  ["with a provider that has no device flow", true, "device_flow_missing"],
])("%s the answer says so, and what to do", async (_what, hasProvider, code) => {
  const op = await testProvider([], { hasDeviceFlow: false });
  const server = await testServer(await freshPglite(), hasProvider ? settingsOf(op) : {});
  const answer = await server.call("POST", "/v1/logins/device", {});
  await server.stop();
  await op.close();
  expect(answer).toMatchObject({ status: 409, body: { code } });
  expect(answer.body.next_step ?? answer.body.nextStep).toContain("CAPSTAN_KEY");
});
