/** Refreshing: three processes share one Postgres and ask at once; the provider is asked once. */
import { randomBytes } from "node:crypto";
import { ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPostgres, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { secretBox } from "../users/secret-box.ts";
import type { ConfiguredProvider } from "./connection-providers.ts";
import { connectionStore } from "./connection-store.ts";
import { BEARER, usualOAuth } from "./provider-table.ts";

const POSTBOX: ConfiguredProvider = {
  id: "postbox",
  name: "Postbox",
  kind: "oauth2",
  hosts: ["postbox.example"],
  sentAs: BEARER,
  oauth: usualOAuth({ authorizationUrl: "https://postbox.example/a", tokenUrl: "https://postbox.example/t" }),
  clientId: "c",
  clientSecret: "s",
  isReady: true,
  isListed: false,
  from: "settings",
  settings: {},
};
const EXPIRED = { expiresAt: new Date(0), scopes: ["mail.read"], account: "mia" };

/** A token endpoint that rotates: each refresh token is good for one answer. */
function endpoint(life: object = { expires_in: 3600 }) {
  let current = "refresh-0";
  const asked: string[] = [];
  const state = { refuse: undefined as string | undefined, hold: undefined as Promise<unknown> | undefined };
  const fetch = async (_: string, options: { body?: string | Uint8Array } = {}) => {
    const sent = new URLSearchParams(String(options.body)).get("refresh_token") ?? "";
    asked.push(sent);
    await (state.hold ?? new Promise((done) => setImmediate(done)));
    if (state.refuse !== undefined || sent !== current)
      return ok(Response.json({ error: state.refuse ?? "invalid_grant" }, { status: 400 }));
    current = `refresh-${randomBytes(4).toString("hex")}`;
    return ok(Response.json({ access_token: `access-${asked.length}`, refresh_token: current, ...life }));
  };
  return { fetch, asked, state };
}

const box = secretBox("a secret of sixteen characters");

describe("refreshing by three processes on postgres", () => {
  let pools: Database[];
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const store = await freshPostgres();
    drop = store.drop;
    pools = await Promise.all(
      [1, 2, 3].map(async () => {
        const opened = await openDatabase({
          dataDir: store.dataDir,
          url: store.url,
          version: "0.1.0",
          connections: 4,
        });
        if (!opened.ok) throw new Error(opened.failure.message);
        return opened.value;
      }),
    );
  });
  afterAll(async () => {
    for (const pool of pools) await pool.close();
    await drop();
  });

  test("a token that has ended is refreshed once, and everybody gets the new one", async () => {
    const provider = endpoint();
    const stores = pools.map((database) => connectionStore({ database, box, fetch: provider.fetch }));
    const place = { userEmail: "mia@example.com", provider: "postbox" };
    const secret = { accessToken: "access-0", refreshToken: "refresh-0" };
    const { id } = await (stores[0] as (typeof stores)[0]).save(place, { ...EXPIRED, secret });
    const opened = await Promise.all(
      [...stores, ...stores, ...stores].map((store) => store.open(id, POSTBOX)),
    );
    expect(provider.asked).toEqual(["refresh-0"]);
    for (const each of opened) expect(each.ok && each.value.secret.accessToken).toBe("access-1");
  });

  test("a token that lives only seconds is refreshed once, too", async () => {
    const provider = endpoint({ expires_in: 20 });
    const stores = pools.map((database) => connectionStore({ database, box, fetch: provider.fetch }));
    const place = { userEmail: "short@example.com", provider: "postbox" };
    const secret = { accessToken: "access-0", refreshToken: "refresh-0" };
    const { id } = await (stores[0] as (typeof stores)[0]).save(place, { ...EXPIRED, secret });
    const opened = await Promise.all([...stores, ...stores].map((store) => store.open(id, POSTBOX)));
    expect(provider.asked).toEqual(["refresh-0"]);
    for (const each of opened) expect(each.ok && each.value.secret.accessToken).toBe("access-1");
  });

  test("a token that the provider refused is refreshed once for all who were refused with it", async () => {
    const provider = endpoint();
    const stores = pools.map((database) => connectionStore({ database, box, fetch: provider.fetch }));
    const place = { userEmail: "ben@example.com", provider: "postbox" };
    const secret = { accessToken: "access-0", refreshToken: "refresh-0" };
    const tokens = { ...EXPIRED, expiresAt: undefined, secret };
    const { id, version } = await (stores[0] as (typeof stores)[0]).save(place, tokens);
    await Promise.all(stores.map((store) => store.open(id, POSTBOX, version)));
    expect(provider.asked).toEqual(["refresh-0"]);
  });

  test("a provider that does not answer is asked once for all who wait, and they fail together", async () => {
    const provider = endpoint();
    let looks = 0;
    const counted = ({ pool }: Database) => ({
      pool: new Proxy(pool, {
        get: (target, name) =>
          name !== "query"
            ? Reflect.get(target, name)
            : async (sql: string, values?: unknown[]) => {
                const found = await target.query(sql, values);
                if (sql.startsWith("update connections set refreshing_until = now()")) looks++;
                return found;
              },
      }),
    });
    const stores = pools.map((database) =>
      connectionStore({ database: counted(database), box, fetch: provider.fetch }),
    );
    const place = { userEmail: "hangs@example.com", provider: "postbox" };
    const secret = { accessToken: "access-0", refreshToken: "refresh-0" };
    const { id } = await (stores[0] as (typeof stores)[0]).save(place, { ...EXPIRED, secret });
    const answer = Promise.withResolvers<void>();
    provider.state.hold = answer.promise;
    provider.state.refuse = "temporarily_unavailable";
    const opening = [...stores, ...stores, ...stores].map((store) => store.open(id, POSTBOX));
    const [database] = pools as [Database];
    await expect.poll(() => looks).toBeGreaterThanOrEqual(opening.length * 3); // each has found the lease, some twice
    answer.resolve();
    for (const each of await Promise.all(opening))
      expect(each).toMatchObject({ ok: false, failure: { code: "connection_refused" } });
    expect(provider.asked).toEqual(["refresh-0"]);
    provider.state.hold = provider.state.refuse = undefined;
    expect((await connectionStore({ database, box, fetch: provider.fetch }).open(id, POSTBOX)).ok).toBe(true);
  });

  test("while another process refreshes, a token that has seconds left is used without waiting", async () => {
    const provider = endpoint();
    const [one, two] = pools.map((database) => connectionStore({ database, box, fetch: provider.fetch }));
    const place = { userEmail: "seconds@example.com", provider: "postbox" };
    const secret = { accessToken: "access-0", refreshToken: "refresh-0" };
    const { id } = (await one?.save(place, { ...EXPIRED, secret })) ?? { id: "" };
    const sql =
      "update connections set expires_at = now() + interval '30 seconds', updated_at = now() - interval '1 hour' where id = $1";
    await pools[0]?.pool.query(sql, [id]);
    const answer = Promise.withResolvers<void>();
    provider.state.hold = answer.promise;
    const first = one?.open(id, POSTBOX);
    await expect.poll(() => provider.asked).toHaveLength(1);
    expect(await two?.open(id, POSTBOX)).toMatchObject({ value: { secret: { accessToken: "access-0" } } });
    answer.resolve();
    expect(await first).toMatchObject({ value: { secret: { accessToken: "access-1" } } });
  });

  test("a process that was killed while it refreshed holds up the others only until its lease ends", async () => {
    const provider = endpoint();
    const [database] = pools as [Database];
    const store = connectionStore({ database, box, fetch: provider.fetch });
    const place = { userEmail: "killed@example.com", provider: "postbox" };
    const secret = { accessToken: "access-0", refreshToken: "refresh-0" };
    const { id } = await store.save(place, { ...EXPIRED, secret });
    await database.pool.query(
      "update connections set refreshing_until = now() + interval '1 day' where id = $1",
      [id],
    );
    const opening = store.open(id, POSTBOX);
    expect(provider.asked).toEqual([]);
    await database.pool.query(
      "update connections set refreshing_until = now() - interval '1 second' where id = $1",
      [id],
    );
    expect(await opening).toMatchObject({ ok: true, value: { secret: { accessToken: "access-1" } } });
  });
});

describe.each(STORES)("refreshing on $name", ({ fresh }) => {
  let database: Database;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const store = await fresh();
    drop = store.drop;
    const opened = await openDatabase({
      dataDir: store.dataDir,
      url: store.url,
      version: "0.1.0",
      connections: 4,
    });
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });
  const made = async (user: string, fetch: ReturnType<typeof endpoint>["fetch"], secret: object) => {
    const store = connectionStore({ database, box, fetch });
    const place = { userEmail: user, provider: "postbox" };
    return { store, ...(await store.save(place, { ...EXPIRED, secret })) };
  };

  test("a grant that the provider no longer accepts ends the connection", async () => {
    const provider = endpoint();
    const { store, id } = await made("a@example.com", provider.fetch, {
      accessToken: "x",
      refreshToken: "old",
    });
    expect((await store.open(id, POSTBOX)).ok).toBe(false);
    const found = await store.get(id);
    expect(found.ok && found.value.endedAt).toBeInstanceOf(Date);
  });

  test("a provider that is away ends nothing", async () => {
    const provider = endpoint();
    provider.state.refuse = "temporarily_unavailable";
    const secret = { accessToken: "x", refreshToken: "refresh-0" };
    const { store, id } = await made("b@example.com", provider.fetch, secret);
    expect(await store.open(id, POSTBOX)).toMatchObject({ failure: { code: "connection_refused" } });
    provider.state.refuse = undefined;
    expect((await store.open(id, POSTBOX)).ok).toBe(true);
  });

  test("while a provider is away, a token that has seconds left is still used", async () => {
    const provider = endpoint();
    provider.state.refuse = "temporarily_unavailable";
    const store = connectionStore({ database, box, fetch: provider.fetch });
    const place = { userEmail: "away@example.com", provider: "postbox" };
    const secret = { accessToken: "x", refreshToken: "refresh-0" };
    const { id, version } = await store.save(place, { ...EXPIRED, secret });
    const sql =
      "update connections set expires_at = now() + interval '30 seconds', updated_at = now() - interval '1 hour' where id = $1";
    await database.pool.query(sql, [id]);
    expect(await store.open(id, POSTBOX)).toMatchObject({
      ok: true,
      value: { secret: { accessToken: "x" } },
    });
    expect(provider.asked).toEqual(["refresh-0"]);
    expect((await store.open(id, POSTBOX, version)).ok).toBe(false);
  });

  test("Slack's word for a refresh token that is over ends the connection", async () => {
    const provider = endpoint();
    provider.state.refuse = "invalid_refresh_token";
    const secret = { accessToken: "x", refreshToken: "refresh-0" };
    const { store, id } = await made("slack@example.com", provider.fetch, secret);
    expect(await store.open(id, POSTBOX)).toMatchObject({ failure: { code: "not_found" } });
  });

  test.each([
    ["null", { expires_in: null, scope: null, id_token: null, error: null, authed_user: null }],
    ["nothing", { expires_in: "", scope: "", error: "" }],
    ["zero", { expires_in: 0 }],
  ])("a server that sends %s for what it does not say gives a token that lasts", async (said, life) => {
    const secret = { accessToken: "x", refreshToken: "refresh-0" };
    const { store, id } = await made(`${said}@example.com`, endpoint(life).fetch, secret);
    for (const _ of [1, 2])
      expect(await store.open(id, POSTBOX)).toMatchObject({
        ok: true,
        value: { record: { expiresAt: null } },
      });
  });

  test("without a refresh token a connection ends with its access token", async () => {
    const { store, id } = await made("c@example.com", endpoint().fetch, { accessToken: "x" });
    expect((await store.open(id, POSTBOX)).ok).toBe(false);
  });

  test("nothing that is stored can be read without the server's secret", async () => {
    const secret = { accessToken: "a-token-in-the-open", refreshToken: "another-in-the-open" };
    await made("d@example.com", endpoint().fetch, secret);
    const { rows } = await database.pool.query("select * from connections");
    expect(JSON.stringify(rows)).not.toMatch(/in-the-open/);
  });
});
