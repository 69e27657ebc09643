/** Deleting a user: what is theirs is gone, others keep theirs, the audit log stays whole, and the address is nobody's. */
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

describe.each(STORES)("on $name", ({ fresh }) => {
  let op: TestProvider;
  let server: TestServer;
  let owner: Headers;
  beforeAll(async () => {
    op = await testProvider([]);
    const store = await fresh();
    server = await testServer(store, {
      CAPSTAN_OIDC_ISSUER: op.issuer,
      CAPSTAN_OIDC_CLIENT_ID: op.clientId,
      CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    });
    await op.allow(server.url);
    owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
    await server.call("POST", "/v1/roles", { claim: "sub", value: "*", role: "author" }, owner);
    const weather = { kind: "api_key", header: "X-Api-Key", hosts: ["api.weather.example"] };
    const made = await server.call("PUT", "/v1/connection-providers/weather", weather, owner);
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await op?.close();
  });

  async function somebody(name: string) {
    const email = `${name}@example.com`;
    op.people.set(name, { sub: name, email, email_verified: true });
    const jar = new CookieJar();
    await browse(jar, await comeBack(jar, new URL("/login", server.url), name));
    const page = { cookie: `capstan-login=${jar.of(server.url).get("capstan-login")}`, origin: server.url };
    const ok = async (method: string, path: string, body: unknown, as: Headers = page) => {
      const answer = await server.call(method, path, body, as);
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      return answer.body;
    };
    const key = (await ok("POST", "/v1/keys", { name, owner: email, rights: ["author"] }, owner)).key;
    const agent = (await ok("POST", "/v1/agents", { name })).id;
    await ok("POST", `/v1/agents/${agent}/tokens`, { name });
    const session = (await ok("POST", "/v1/sessions", { agent_id: agent })).id;
    await ok("POST", "/v1/memories", { text: `${name} likes blue lamps` });
    await ok("POST", "/v1/connections", { provider: "weather", key: `secret-of-${name}` });
    return { email, page, key: { authorization: `Bearer ${key}` }, session, agent };
  }
  const status = async (path: string, as: Headers) => (await server.call("GET", path, undefined, as)).status;
  const remove = (email: string, query = "", as = owner) =>
    server.call("DELETE", `/v1/users/${email}${query}`, undefined, as);

  /** Where a text is in the database, by table. */
  async function tablesWith(text: string): Promise<string[]> {
    const { pool } = server.services.database;
    const { rows } = await pool.query(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const hit = await pool.query(`select 1 from "${name}" t where t::text like $1 limit 1`, [`%${text}%`]);
      if (hit.rows.length > 0) found.push(name);
    }
    return found.sort();
  }

  test("keys, tokens, logins, accounts, memories and sessions are gone; the log stays whole and says so", async () => {
    const ann = await somebody("ann");
    const bob = await somebody("bob");
    expect(await remove(ann.email)).toMatchObject({ status: 409, body: { code: "user_in_use" } });
    expect((await remove(ann.email, "", bob.page)).status).toBe(403);
    await server.call("PUT", `/v1/users/${ann.email}`, { disabled: true }, owner);
    const gone = await remove(ann.email, "?sessions=delete");
    expect(gone).toMatchObject({
      status: 200,
      body: { keys: 1, tokens: 1, logins: 1, connections: 1, memories: 1, sessions: 1 },
    });
    await vi.waitFor(async () => expect(await status("/v1/agents", ann.key)).toBe(401), { timeout: 3000 });
    expect(await status("/v1/agents", ann.page)).toBe(401);
    expect(await status(`/v1/sessions/${ann.session}`, owner)).toBe(404);
    expect(await tablesWith("likes blue lamps")).toEqual(["memories"]); // Bob's
    const left = await tablesWith(ann.email);
    for (const table of [
      "api_keys",
      "tokens",
      "identities",
      "logins",
      "connections",
      "memories",
      "schedules",
      "grants",
    ])
      expect(left).not.toContain(table);
    const verified = await server.call("GET", "/v1/audit/verification", undefined, owner);
    expect(verified.body).toMatchObject({ intact: true });
    const { items } = (await server.call("GET", "/v1/audit?action=user.deleted", undefined, owner)).body;
    expect(items[0]).toMatchObject({ subject: ann.email, details: { keys: 1, sessions: 1 } });
    expect(await status("/v1/agents", bob.key)).toBe(200);
    expect(await status(`/v1/sessions/${bob.session}`, bob.page)).toBe(200);
  });

  test("sessions stay unless they are asked for; nobody gets them by signing in with the address", async () => {
    const { email, session } = await somebody("cal");
    await server.call("PUT", `/v1/users/${email}`, { disabled: true }, owner);
    expect((await remove(email)).body.sessions).toBe(0);
    expect(await status(`/v1/sessions/${session}`, owner)).toBe(200);
    op.people.set("cal2", { sub: "cal2", email, email_verified: true });
    const jar = new CookieJar();
    await browse(jar, await comeBack(jar, new URL("/login", server.url), "cal2"));
    expect(jar.of(server.url).get("capstan-login")).toBeUndefined();
    expect((await remove(email)).status).toBe(200); // again changes nothing
  });

  test("nobody deletes themselves, or the server's own user", async () => {
    expect((await remove("local@localhost")).status).toBe(422);
  });
});
