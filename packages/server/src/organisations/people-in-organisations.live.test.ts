/** People of a real OpenID provider in two organisations: in by their claims or by a member's row, out within a second. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  browse,
  CookieJar,
  comeBack,
  type TestProvider,
  testProvider,
} from "../../../../tools/openid-provider.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Headers = Record<string, string>;

describe.each(STORES)("people in organisations on $name", ({ fresh }) => {
  let op: TestProvider;
  let server: TestServer;
  let owner: Headers;
  const keys: Record<string, Headers> = {};

  beforeAll(async () => {
    op = await testProvider([]);
    const store = await fresh();
    server = await testServer(store, {
      CAPSTAN_OIDC_ISSUER: op.issuer,
      CAPSTAN_OIDC_CLIENT_ID: op.clientId,
      CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
      CAPSTAN_OIDC_ADMINS: "groups=operators",
    });
    await op.allow(server.url);
    owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
    for (const id of ["acme", "beta"]) {
      const made = await server.call("POST", "/v1/organisations", { id, name: id }, owner);
      keys[id] = { authorization: `Bearer ${made.body.key}` };
    }
    const rule = { claim: "groups", value: "acme-staff", role: "author" };
    expect((await server.call("POST", "/v1/roles", rule, keys.acme)).status).toBe(201);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await op?.close();
  });

  /** A browser that is signed in, and works in an organisation. */
  async function signIn(name: string, groups: string[] = []): Promise<(organisation?: string) => Headers> {
    op.people.set(name, { sub: name, email: `${name}@example.com`, email_verified: true, groups });
    const jar = new CookieJar();
    await browse(jar, await comeBack(jar, new URL("/login", server.url), name));
    const login = jar.of(server.url).get("capstan-login");
    return (organisation) => ({
      cookie: `capstan-login=${login}${organisation ? `; capstan-organisation=${organisation}` : ""}`,
      origin: server.url,
    });
  }
  const me = async (headers: Headers) => (await server.call("GET", "/v1/me", undefined, headers)).body;
  const idsOf = (all: { id: string }[]) => all.map(({ id }) => id);

  test("claims give a role in one and nothing in the other, nor in the first", async () => {
    const ann = await signIn("ann", ["acme-staff"]);
    expect(await me(ann("acme"))).toMatchObject({ organisation: "acme", rights: ["author"] });
    expect(await me(ann("beta"))).toMatchObject({ organisation: "beta", rights: [] });
    expect(await me(ann())).toMatchObject({ organisation: "default", rights: [] });
    expect(idsOf((await me(ann())).organisations)).toEqual(["acme"]);
    expect((await server.call("GET", "/v1/agents", undefined, ann("beta"))).status).toBe(403);
    const made = await server.call("POST", "/v1/agents", { name: "Ann's" }, ann("acme"));
    expect(made.status).toBe(201);
    expect((await server.call("GET", `/v1/agents/${made.body.id}`, undefined, ann("acme"))).status).toBe(200);
  });

  test("somebody in several chooses; nothing of one shows in the other", async () => {
    const bob = await signIn("bob", ["acme-staff"]);
    const put = { role: "admin" };
    const path = "/v1/organisations/beta/members/bob@example.com";
    expect((await server.call("PUT", path, put, keys.beta)).body).toMatchObject({ user: "bob@example.com" });
    await vi.waitFor(async () => expect((await me(bob("beta"))).rights).toEqual(["admin"]), {
      timeout: 3000,
    });
    expect(idsOf((await me(bob())).organisations)).toEqual(["acme", "beta"]);
    const chosen = await server.call("POST", "/v1/me/organisation", { organisation: "beta" }, bob("acme"));
    expect(chosen.headers.get("set-cookie")).toContain("capstan-organisation=beta");
    await server.call("POST", "/v1/agents", { name: "Of beta" }, bob("beta"));
    const names = async (where: string) =>
      (await server.call("GET", "/v1/agents", undefined, bob(where))).body.items.map(
        (each: { name: string }) => each.name,
      );
    expect(await names("acme")).not.toContain("Of beta");
    expect(await names("beta")).toEqual(["Of beta"]);
    expect((await server.call("GET", "/v1/keys", undefined, bob("acme"))).status).toBe(403); // an author there
  });

  test("an admin of one is nobody in the other, and sees no logins but their own", async () => {
    const eve = await signIn("eve");
    await server.call("PUT", "/v1/organisations/beta/members/eve@example.com", { role: "admin" }, owner);
    await vi.waitFor(async () => expect((await me(eve("beta"))).rights).toEqual(["admin"]), {
      timeout: 3000,
    });
    const logins = (await server.call("GET", "/v1/logins", undefined, eve("beta"))).body.items;
    expect(new Set(logins.map(({ user }: { user: string }) => user))).toEqual(new Set(["eve@example.com"]));
    const all = (await server.call("GET", "/v1/logins", undefined, owner)).body.items;
    const other = all.find(({ user }: { user: string }) => user !== "eve@example.com");
    expect((await server.call("DELETE", `/v1/logins/${other.id}`, undefined, eve("beta"))).status).toBe(404);
    expect((await server.call("GET", "/v1/users", undefined, eve("acme"))).status).toBe(403);
    expect(
      (await server.call("POST", "/v1/organisations", { id: "eves", name: "E" }, eve("beta"))).status,
    ).toBe(403);
  });

  test("the operator's admins have no rights in an organisation before somebody makes them members", async () => {
    const op1 = await signIn("operator1", ["operators"]);
    expect((await me(op1())).rights).toEqual(["admin"]);
    expect((await me(op1("acme"))).rights).toEqual([]);
  });

  test("someone who leaves one loses all access there within a second: login, key and token; the other stays", async () => {
    const dan = await signIn("dan", ["acme-staff"]);
    const path = "/v1/organisations/beta/members/dan@example.com";
    await server.call("PUT", path, { role: "author" }, owner);
    await vi.waitFor(async () => expect((await me(dan("beta"))).rights).toEqual(["author"]), {
      timeout: 3000,
    });
    const agent = (await server.call("POST", "/v1/agents", { name: "Dan's" }, dan("beta"))).body.id;
    const token = (await server.call("POST", `/v1/agents/${agent}/tokens`, { name: "t" }, dan("beta"))).body
      .token;
    const asked = { name: "dan", owner: "dan@example.com", rights: ["author"] };
    const key = (await server.call("POST", "/v1/keys", asked, keys.beta)).body.key;
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const accept = "application/json, text/event-stream";
    const worth = async () => [
      (await server.call("GET", "/v1/agents", undefined, dan("beta"))).status,
      (await server.call("GET", "/v1/agents", undefined, { authorization: `Bearer ${key}` })).status,
      (await server.call("POST", "/mcp", list, { authorization: `Bearer ${token}`, accept })).status,
    ];
    expect(await worth()).toEqual([200, 200, 200]);
    expect((await server.call("DELETE", path, undefined, owner)).status).toBe(204);
    await vi.waitFor(async () => expect((await worth()).every((status) => status >= 400)).toBe(true), {
      timeout: 3000,
    });
    expect((await server.call("GET", "/v1/agents", undefined, dan("acme"))).status).toBe(200);
  });

  test("who is disabled by the first is disabled in all, who is disabled by one in that one", async () => {
    const fay = await signIn("fay", ["acme-staff"]);
    await server.call("PUT", "/v1/organisations/beta/members/fay@example.com", { role: "read" }, owner);
    const status = async (where: string) =>
      (await server.call("GET", "/v1/agents", undefined, fay(where))).status;
    await vi.waitFor(async () => expect(await status("beta")).toBe(200), { timeout: 3000 });
    await server.call("PUT", "/v1/users/fay@example.com", { disabled: true }, keys.beta);
    await vi.waitFor(async () => expect(await status("beta")).toBe(401), { timeout: 3000 });
    expect(await status("acme")).toBe(200);
    await server.call("PUT", "/v1/users/fay@example.com", { disabled: true }, owner);
    await vi.waitFor(async () => expect(await status("acme")).toBe(401), { timeout: 3000 });
  });
});
