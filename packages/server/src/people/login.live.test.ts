/** People sign in with a real OpenID provider, and what must not work. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  browse,
  CookieJar,
  comeBack,
  type TestProvider,
  testProvider,
} from "../../../../tools/openid-provider.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const LOGIN = "capstan-login";
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

describe.each(STORES)("on $name", ({ fresh }) => {
  let op: TestProvider;
  let server: TestServer;
  let ownerToken: string;
  beforeAll(async () => {
    op = await testProvider([
      { sub: "alice", email: "alice@example.com", email_verified: true, name: "Alice", groups: ["chiefs"] },
      { sub: "bob", email: "bob@example.com", email_verified: true, name: "Bob", groups: ["staff"] },
      { sub: "carol", email: "alice@example.com", email_verified: false, name: "Not Alice" },
    ]);
    const store = await fresh();
    server = await testServer(store, {
      CAPSTAN_OIDC_ISSUER: op.issuer,
      CAPSTAN_OIDC_CLIENT_ID: op.clientId,
      CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
      CAPSTAN_OIDC_ADMINS: "groups=chiefs",
    });
    await op.allow(server.url);
    ownerToken = readFileSync(join(store.dataDir, "owner-token"), "utf8").trim();
    await asOwner("POST", "/v1/roles", { claim: "groups", value: "staff", role: "run" });
  });
  afterAll(async () => {
    await server?.stop();
    await op?.close();
  });

  const at = (path: string) => new URL(path, server.url);
  const asOwner = (method: string, path: string, body?: unknown) =>
    server.call(method, path, body, { authorization: `Bearer ${ownerToken}` });

  /** Signs in; the last answer is ours. */
  async function signIn(person: string, jar = new CookieJar(), query = "") {
    const back = await comeBack(jar, at(`/login${query}`), person);
    const answer = await browse(jar, back);
    return { jar, back, answer, token: jar.of(server.url).get(LOGIN) ?? "" };
  }
  const asPage = (token: string, more: Record<string, string> = {}) => ({
    cookie: `${LOGIN}=${token}`,
    origin: server.url,
    ...more,
  });
  const me = async (token: string) => (await server.call("GET", "/v1/me", undefined, asPage(token))).body;
  const failedWith = (answer: Response) => [answer.status, answer.headers.get("location")];

  test("a browser signs in, comes back to where it wanted to go, and acts as that person with their role", async () => {
    const { answer, token } = await signIn("alice", new CookieJar(), "?return_to=%2Fagents%3Fq%3D1");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/agents?q=1"]);
    const [cookie] = answer.headers.getSetCookie().filter((line) => line.startsWith(LOGIN));
    expect(cookie).toMatch(/^capstan-login=login_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    expect(await me(token)).toMatchObject({
      user: "alice@example.com",
      name: "Alice",
      rights: ["admin"],
      by: "login",
      provider: { issuer: op.issuer },
    });
    expect((await server.call("GET", "/v1/keys", undefined, asPage(token))).status).toBe(200);
    const bob = await signIn("bob");
    expect(await me(bob.token)).toMatchObject({ user: "bob@example.com", rights: ["run"] });
    expect((await server.call("GET", "/v1/keys", undefined, asPage(bob.token))).status).toBe(403);
  });

  test("with a provider everybody has to sign in, even from loopback", async () => {
    expect((await server.call("GET", "/v1/agents")).status).toBe(401);
    expect((await server.call("GET", "/v1/me")).body).toMatchObject({ user: null, rights: [], by: "nobody" });
  });

  test("the provider may change its keys as often as it likes", async () => {
    for (const person of ["alice", "bob"]) {
      await op.rotateKeys();
      const { token } = await signIn(person);
      expect(await me(token)).toMatchObject({ by: "login" });
    }
  });

  test.each(["name", "preferred_username", "email_verified"])(
    "a role for %s, which people can edit or which says nothing, is refused",
    async (claim) => {
      const { status } = await asOwner("POST", "/v1/roles", { claim, value: "x", role: "read" });
      expect(status).toBe(422);
    },
  );

  test("only a hash of the cookie is stored", async () => {
    const { token } = await signIn("alice");
    const { rows } = await server.services.database.pool.query("select * from logins");
    expect(JSON.stringify(rows)).not.toContain(token.slice("login_".length));
  });

  describe("refused", () => {
    test("an answer of the provider in another browser, by which a victim would act as the attacker", async () => {
      const attacker = new CookieJar();
      const back = await comeBack(attacker, at("/login"), "bob");
      const victim = new CookieJar();
      const answer = await browse(victim, back);
      expect(failedWith(answer)).toEqual([302, "/?sign_in=expired"]);
      expect(victim.of(server.url).get(LOGIN)).toBeUndefined();
    });

    test("the attacker's answer while the victim's own sign-in is under way", async () => {
      const back = await comeBack(new CookieJar(), at("/login"), "bob");
      const victim = new CookieJar();
      await comeBack(victim, at("/login"), "alice");
      expect(failedWith(await browse(victim, back))).toEqual([302, "/?sign_in=refused"]);
      expect(victim.of(server.url).get(LOGIN)).toBeUndefined();
    });

    test.each([
      ["another state", (back: URL) => back.searchParams.set("state", "another")],
      ["no state", (back: URL) => back.searchParams.delete("state")],
      [
        "another provider's name, as in a mix-up",
        (back: URL) => back.searchParams.set("iss", "https://evil.example"),
      ],
      ["no provider's name", (back: URL) => back.searchParams.delete("iss")],
      ["an invented code", (back: URL) => back.searchParams.set("code", "invented")],
      ["a state sent twice", (back: URL) => back.searchParams.append("state", "another")],
    ])("an answer with %s", async (_what, change) => {
      const jar = new CookieJar();
      const back = await comeBack(jar, at("/login"), "alice");
      change(back);
      expect(failedWith(await browse(jar, back))).toEqual([302, "/?sign_in=refused"]);
      expect(jar.of(server.url).get(LOGIN)).toBeUndefined();
    });

    test("an id token that was made for another sign-in: its nonce is not this one's", async () => {
      const jar = new CookieJar();
      const there = await toProvider(jar);
      there.searchParams.set("nonce", "of another sign-in");
      const back = await onFrom(jar, there, "alice");
      expect(failedWith(await browse(jar, back))).toEqual([302, "/?sign_in=refused"]);
    });

    test("a code that another PKCE challenge was sent for", async () => {
      const jar = new CookieJar();
      const there = await toProvider(jar);
      there.searchParams.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
      const back = await onFrom(jar, there, "alice");
      expect(failedWith(await browse(jar, back))).toEqual([302, "/?sign_in=refused"]);
    });

    test("the same answer a second time", async () => {
      const { jar, back } = await signIn("alice");
      expect(failedWith(await browse(jar, back))).toEqual([302, "/?sign_in=expired"]);
    });

    test("a sign-in that the person denied", async () => {
      const jar = new CookieJar();
      const back = await comeBack(jar, at("/login"), "");
      expect(failedWith(await browse(jar, back))).toEqual([302, "/?sign_in=denied"]);
    });

    test.each(["//evil.example", "https://evil.example", "/\\evil.example"])(
      "to be sent to %s after signing in",
      async (target) => {
        const { answer } = await signIn("alice", new CookieJar(), `?return_to=${encodeURIComponent(target)}`);
        expect(answer.headers.get("location")).toBe("/");
      },
    );

    test("a Host of somebody else, which the provider would send the code to", async () => {
      const { status } = await server.call("GET", "/login", undefined, {
        "x-forwarded-host": "evil.example",
      });
      expect(status).not.toBe(500);
      const there = await toProvider(new CookieJar());
      expect(new URL(there.searchParams.get("redirect_uri") ?? "").origin).toBe(server.url);
    });

    test("a cookie that was set before the sign-in: the sign-in ends it and makes another", async () => {
      const jar = new CookieJar();
      const first = await signIn("bob", jar);
      const second = await signIn("bob", jar);
      expect(second.token).not.toBe(first.token);
      expect(await me(first.token)).toMatchObject({ by: "nobody" });
    });

    test("a cookie that somebody invented: it is not taken over by the sign-in", async () => {
      const jar = new CookieJar();
      jar.of(server.url).set(LOGIN, "login_fixed-by-an-attacker");
      const { token } = await signIn("alice", jar);
      expect(token).not.toContain("fixed-by");
      expect(await me("login_fixed-by-an-attacker")).toMatchObject({ by: "nobody" });
    });

    test("two cookies of the same name: one of them was tossed in by a neighbour", async () => {
      const [alice, bob] = [await signIn("alice"), await signIn("bob")];
      const cookie = `${LOGIN}=${bob.token}; ${LOGIN}=${alice.token}`;
      const { body } = await server.call("GET", "/v1/me", undefined, { cookie, origin: server.url });
      expect(body).toMatchObject({ by: "nobody" });
    });

    test.each([
      ["without an Origin", {}],
      ["of another port of this machine", { origin: "http://127.0.0.1:1" }],
      ["of a page without an origin", { origin: "null" }],
    ])("a change by cookie %s", async (_what, headers) => {
      const { token } = await signIn("alice");
      const sent = { cookie: `${LOGIN}=${token}`, ...headers };
      const { status } = await server.call("POST", "/v1/agents", { name: "Forged" }, sent);
      expect([401, 403]).toContain(status);
      const ours = await server.call("POST", "/v1/agents", { name: "Meant" }, asPage(token));
      expect(ours.status).toBe(201);
    });

    test("to read by cookie from a page of another site or of a neighbour", async () => {
      const { token } = await signIn("alice");
      for (const site of ["cross-site", "same-site"]) {
        const sent = { cookie: `${LOGIN}=${token}`, "sec-fetch-site": site };
        expect((await server.call("GET", "/v1/agents", undefined, sent)).status).toBe(401);
      }
    });

    test("to sign somebody out from another site", async () => {
      const { token } = await signIn("alice");
      await server.call("POST", "/logout", undefined, { cookie: `${LOGIN}=${token}` });
      expect(await me(token)).toMatchObject({ by: "login" });
    });

    test("an address that nobody verified: it names no user, and gives no role", async () => {
      const { token } = await signIn("carol");
      const who = await me(token);
      expect(who.user).toMatch(/^person-[0-9a-f]{24}@provider\.invalid$/);
      expect(who.rights).toEqual([]);
      const { rows } = await server.services.database.pool.query(
        "select claims from identities where subject = 'carol'",
      );
      expect(rows[0].claims).toEqual({ sub: ["carol"] });
    });

    test("an address that another account has: addresses change hands, subjects do not", async () => {
      await signIn("bob");
      op.people.set("dave", { sub: "dave", email: "Bob@Example.com", email_verified: true });
      const { answer, token } = await signIn("dave");
      expect([failedWith(answer), token]).toEqual([[302, "/?sign_in=not_allowed"], ""]);
    });

    test("an address of the server's own user", async () => {
      op.people.set("eve", { sub: "eve", email: "local@localhost.localdomain", email_verified: true });
      await server.services.people.remember(person("eve", "x@example.org"));
      for (const email of ["local@localhost", "nobody@localhost"])
        expect(await server.services.people.remember(person("mallory", email))).toMatchObject({ ok: false });
    });
  });

  const person = (subject: string, email: string) => ({
    issuer: op.issuer,
    subject,
    email,
    name: subject,
    claims: {},
  });

  async function toProvider(jar: CookieJar): Promise<URL> {
    const answer = await browse(jar, at("/login"));
    return new URL(answer.headers.get("location") ?? "");
  }

  async function onFrom(jar: CookieJar, there: URL, who: string): Promise<URL> {
    let url = there;
    while (url.origin !== server.url) {
      if (url.pathname.startsWith("/interaction/")) url.searchParams.set("person", who);
      const answer = await browse(jar, url);
      url = new URL(answer.headers.get("location") ?? "", url);
    }
    return url;
  }

  test("the cookie is replaced every hour; the one before works until the browser has the new one", async () => {
    const { token } = await signIn("alice");
    await me(token);
    await later("rotated_at", token);
    const answer = await server.call("GET", "/v1/me", undefined, asPage(token));
    const [, next = ""] = /capstan-login=([^;]+)/.exec(answer.headers.getSetCookie().join()) ?? [];
    expect(next).toMatch(/^login_/);
    expect(next).not.toBe(token);
    expect(await me(token)).toMatchObject({ by: "login" }); // another tab's request, under way
    expect(await me(next)).toMatchObject({ by: "login" });
    expect(await me(token)).toMatchObject({ by: "login" });
    await later("confirmed_at", next);
    expect(await me(token)).toMatchObject({ by: "nobody" }); // a copy: it ends the login
    expect(await me(next)).toMatchObject({ by: "nobody" });
  });

  test("when the answer with the new cookie is lost, the browser gets another", async () => {
    const { token } = await signIn("alice");
    await later("rotated_at", token);
    await me(token);
    await later("rotated_at", token);
    const answer = await server.call("GET", "/v1/me", undefined, asPage(token));
    const [, next = ""] = /capstan-login=([^;]+)/.exec(answer.headers.getSetCookie().join()) ?? [];
    expect(await me(next)).toMatchObject({ by: "login" });
  });

  /** Two hours pass for the login whose token this is, or was. */
  async function later(column: string, token: string) {
    const id = (await server.services.logins.find(token))?.login.id;
    const sql = `update logins set ${column} = now() - interval '2 hours' where id = $1`;
    await server.services.database.pool.query(sql, [id]);
  }

  test("a login ends by itself, however much it is used", async () => {
    const { token } = await signIn("alice");
    const id = (await me(token)).login_id;
    const sql = "update logins set expires_at = now() where id = $1";
    await server.services.database.pool.query(sql, [id]);
    expect(await me(token)).toMatchObject({ by: "nobody" });
  });

  test("logins are listed for their owner, and end at once when revoked", async () => {
    const [alice, bob] = [await signIn("alice"), await signIn("bob")];
    const list = async (token: string) =>
      (await server.call("GET", "/v1/logins", undefined, asPage(token))).body.items;
    expect(new Set((await list(bob.token)).map(({ user }: { user: string }) => user))).toEqual(
      new Set(["bob@example.com"]),
    );
    expect((await list(bob.token)).filter(({ is_this }: { is_this: boolean }) => is_this)).toHaveLength(1);
    const [aliceId, bobId] = [(await me(alice.token)).login_id, (await me(bob.token)).login_id];
    const revoke = (token: string, id: string) =>
      server.call("DELETE", `/v1/logins/${id}`, undefined, asPage(token));
    expect((await revoke(bob.token, aliceId)).status).toBe(404);
    expect((await revoke(alice.token, bobId)).status).toBe(204);
    expect(await me(bob.token)).toMatchObject({ by: "nobody" });
  });

  test("signing out ends the login, and the browser forgets the cookie", async () => {
    const { jar, token } = await signIn("alice");
    const answer = await browse(jar, at("/logout"), { method: "POST", headers: { origin: server.url } });
    expect(answer.status).toBe(204);
    expect(jar.of(server.url).get(LOGIN)).toBeUndefined();
    expect(await me(token)).toMatchObject({ by: "nobody" });
  });

  describe("logout that the provider reports", () => {
    const report = (token: string) =>
      fetch(at("/login/backchannel"), { method: "POST", body: new URLSearchParams({ logout_token: token }) });
    const facts = (more: object = {}) => ({
      iss: op.issuer,
      aud: op.clientId,
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 60,
      jti: crypto.randomUUID(),
      events: { [LOGOUT_EVENT]: {} },
      sub: "alice",
      ...more,
    });

    test("ends the logins of that session at the provider, and no others", async () => {
      const [first, second, bob] = [await signIn("alice"), await signIn("alice"), await signIn("bob")];
      const { rows } = await server.services.database.pool.query("select sid from logins where id = $1", [
        (await me(first.token)).login_id,
      ]);
      const client = await op.provider.Client.find(op.clientId);
      await (
        client as never as { backchannelLogout(sub: string, sid: string): Promise<void> }
      ).backchannelLogout("alice", rows[0].sid);
      expect(await me(first.token)).toMatchObject({ by: "nobody" });
      expect(await me(second.token)).toMatchObject({ by: "login" });
      expect((await report(await op.sign(facts()))).status).toBe(200);
      expect(await me(second.token)).toMatchObject({ by: "nobody" });
      expect(await me(bob.token)).toMatchObject({ by: "login" });
    });

    test.each([
      ["ahead of", 120],
      ["behind", -120],
    ])(
      "a report of a provider whose clock is two minutes %s ours ends logins, too",
      async (_what, seconds) => {
        const { token } = await signIn("alice");
        const now = Math.floor(Date.now() / 1000) + seconds;
        expect((await report(await op.sign(facts({ iat: now, exp: now + 60 })))).status).toBe(200);
        expect(await me(token)).toMatchObject({ by: "nobody" });
      },
    );

    test.each([
      ["for another client", { aud: "another" }],
      ["of another issuer", { iss: "https://evil.example" }],
      ["of last year", { iat: 1_700_000_000 }],
      ["with a nonce, so an id token", { nonce: "n" }],
      ["about another event", { events: { other: {} } }],
      ["that names nobody", { sub: undefined }],
      ["without an id", { jti: undefined }],
      ["that has expired", { exp: 1_700_000_000 }],
    ])("a report %s is refused and ends nothing", async (_what, more) => {
      const { token } = await signIn("alice");
      expect((await report(await op.sign(facts(more)))).status).toBe(400);
      expect(await me(token)).toMatchObject({ by: "login" });
    });

    test("a report with a signature of somebody else, with none, or with our secret is refused", async () => {
      const { token } = await signIn("alice");
      const { privateKey } = await generateKeyPair("RS256");
      const header = { alg: "RS256", kid: "the-key", typ: "logout+jwt" };
      const forged = await new SignJWT(facts()).setProtectedHeader(header).sign(privateKey);
      const secret = new TextEncoder().encode(op.clientSecret);
      const ours = await new SignJWT(facts()).setProtectedHeader({ alg: "HS256" }).sign(secret);
      const text = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const none = `${text({ alg: "none" })}.${text(facts())}.`;
      for (const each of [forged, ours, none, "", "x"]) expect((await report(each)).status).toBe(400);
      expect(await me(token)).toMatchObject({ by: "login" });
    });
  });
});
