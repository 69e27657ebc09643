/** Databases as people have them: without permissions, read-only, in another encoding, with few connections, behind a pooler. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { hasPgbouncer, type Pooler, startPgbouncer } from "../../../../tools/pgbouncer.ts";
import { databaseUrl, onServer } from "../../../../tools/real-parts.ts";
import { emptyPostgres, type FreshStore, freshPostgres } from "../../../../tools/stores-under-test.ts";
import { hasOpenssl, startTlsPostgres, type TlsPostgres } from "../../../../tools/tls-postgres.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe("a start on Postgres is refused with the cause and what helps", () => {
  test("when the role is not allowed to create tables, the default since Postgres 15", async () => {
    const store = await kept(emptyPostgres());
    const role = await newRole();
    expect(await refusal({ ...store, url: as(role, store) })).toEqual({
      code: "database_unsuitable",
      message: expect.stringMatching(`the role "${role}" is not allowed to create tables`),
      nextStep: expect.stringMatching(
        new RegExp(
          `GRANT CREATE ON DATABASE "\\w+" TO "${role}"; GRANT USAGE, CREATE ON SCHEMA public TO "${role}"`,
        ),
      ),
    });
  });

  test("and the suggested fix works", async () => {
    const store = await kept(emptyPostgres());
    const role = await newRole();
    const url = as(role, store);
    const { nextStep } = await refusal({ ...store, url });
    const [, grants = ""] = /`([^`]+)`/.exec(nextStep) ?? [];
    await onServer(store.url ?? "", grants);
    expect((await opened({ ...store, url })).kind).toBe("postgres");
  });

  test("when the role is read-only", async () => {
    const store = await kept(freshPostgres());
    const role = await newRole("superuser");
    await onServer(store.url ?? "", `alter role ${role} set default_transaction_read_only = on`);
    expect(await refusal({ ...store, url: as(role, store) })).toEqual({
      code: "database_unsuitable",
      message: expect.stringContaining("is read-only"),
      nextStep: expect.stringContaining(`ALTER ROLE "${role}" SET default_transaction_read_only = off`),
    });
  });

  test("when the encoding cannot store every text", async () => {
    const name = `capstan_${randomUUID().replaceAll("-", "")}`;
    const base = inject("postgresUrl");
    await onServer(
      base,
      `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    );
    undo.push(() => onServer(base, `drop database ${name} with (force)`));
    expect(await refusal({ dataDir: "unused", url: databaseUrl(base, name) })).toEqual({
      code: "database_unsuitable",
      message: expect.stringContaining("its encoding is LATIN1"),
      nextStep: expect.stringContaining("ENCODING 'UTF8'"),
    });
  });

  test("when it allows too few connections", async () => {
    const store = await kept(freshPostgres());
    const role = await newRole("connection limit 2");
    expect(await refusal({ ...store, url: as(role, store) })).toEqual({
      code: "database_unsuitable",
      message: expect.stringContaining("it allows 2 connections at once"),
      nextStep: expect.stringContaining(`ALTER ROLE "${role}" CONNECTION LIMIT`),
    });
  });

  test("when it does not support TLS and the address requires it", async () => {
    const store = await kept(freshPostgres());
    const refused = await refusal({ ...store, url: `${store.url}?sslmode=require` });
    expect(refused).toMatchObject({
      code: "database_unsuitable",
      nextStep: expect.stringContaining("sslmode=disable"),
    });
  });
});

describe.skipIf(!hasOpenssl())("a Postgres whose certificate signs itself", () => {
  test("is refused with sslmode=require, and the settings that help are named", async () => {
    const { store, secure } = await behindTls();
    expect(await refusal({ ...store, url: `${secure.url}?sslmode=require` })).toEqual({
      code: "database_unsuitable",
      message: expect.stringContaining("its certificate is not trusted"),
      nextStep: expect.stringMatching(/sslrootcert=.*sslmode=no-verify/),
    });
  });

  test.each<[string, (secure: TlsPostgres) => string]>([
    ["its CA is named", ({ certificate }) => `sslmode=require&sslrootcert=${certificate}`],
    ["nobody is to be verified", () => "sslmode=no-verify"],
  ])("is used when %s", async (_when, settings) => {
    const { store, secure } = await behindTls();
    const { pool } = await opened({ ...store, url: `${secure.url}?${settings(secure)}` });
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});

describe("few connections", () => {
  test("of a role's limit are shared: work waits instead of failing", async () => {
    const { store, url } = await limited(5);
    const { pool, systemPool } = await opened({ ...store, url, connections: 20 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? pool : systemPool).query("select pg_sleep(0.01)")),
    );
    expect(answers).toHaveLength(40);
  });

  test("that others have taken are awaited too", async () => {
    const { store, url } = await limited(6);
    const { pool } = await opened({ ...store, url, connections: 6 });
    const others = await Promise.all(Array.from({ length: 4 }, () => connected(url)));
    const answers = await Promise.all(Array.from({ length: 10 }, () => pool.query("select pg_sleep(0.01)")));
    expect(answers).toHaveLength(10);
    await Promise.all(others.map((client) => client.end()));
  });
});

describe.skipIf(!hasPgbouncer())("a pooler in transaction mode", () => {
  test("is detected at startup, and the next step named", async () => {
    const store = await kept(freshPostgres());
    const pooler = await pooled(store);
    expect(await refusal({ ...store, url: pooler.url })).toEqual({
      code: "database_pooled",
      message: expect.stringContaining("transaction mode"),
      nextStep: expect.stringContaining("DATABASE_DIRECT_URL"),
    });
  });

  test("works with the direct address of Postgres as well, even for the same statement from many at once", async () => {
    const store = await kept(emptyPostgres());
    const pooler = await pooled(store);
    const { pool, sessionPool } = await opened({ ...store, url: pooler.url, directUrl: store.url });
    for (let round = 0; round < 5; round++) {
      const sums = Array.from({ length: 30 }, (_, at) => pool.query("select $1::int + 1 as sum", [at]));
      expect((await Promise.all(sums)).map(({ rows }) => rows[0].sum)).toEqual(sums.map((_, at) => at + 1));
    }
    const listener = await sessionPool.connect();
    const heard = new Promise((resolve) => listener.once("notification", ({ payload }) => resolve(payload)));
    await listener.query("listen capstan_probe");
    await pool.query("select pg_notify('capstan_probe', 'hello')");
    expect(await heard).toBe("hello");
    listener.release();
  });
});

async function kept(store: Promise<FreshStore>): Promise<FreshStore> {
  const fresh = await store;
  undo.push(() => fresh.drop());
  return fresh;
}

async function opened(options: DatabaseOptions): Promise<Database> {
  const result = await openDatabase(options);
  if (!result.ok) throw new Error(`${result.failure.message} ${result.failure.nextStep}`);
  undo.push(() => result.value.close());
  return result.value;
}

async function refusal(options: DatabaseOptions) {
  const result = await openDatabase(options);
  if (result.ok) {
    await result.value.close();
    throw new Error("it was not refused");
  }
  const { code, message, nextStep } = result.failure;
  return { code, message, nextStep };
}

/** An empty database for a role with this connection limit. */
async function limited(connections: number): Promise<{ store: FreshStore; url: string }> {
  const store = await kept(emptyPostgres());
  const role = await newRole(`connection limit ${connections}`);
  await onServer(store.url ?? "", `alter schema public owner to ${role}`);
  await onServer(
    store.url ?? "",
    `alter database ${new URL(store.url ?? "").pathname.slice(1)} owner to ${role}`,
  );
  return { store, url: as(role, store) };
}

async function newRole(options = ""): Promise<string> {
  const role = `capstan_${randomUUID().slice(0, 8)}`;
  const base = inject("postgresUrl");
  await onServer(base, `create role ${role} login password 'secret' ${options}`);
  undo.push(async () => {
    await onServer(base, `drop role if exists ${role}`).catch(() => {}); // its rights are dropped with its database
  });
  return role;
}

function as(role: string, { url = "" }: FreshStore): string {
  const address = new URL(url);
  address.username = role;
  address.password = "secret";
  return address.href;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function pooled({ url = "" }: FreshStore): Promise<Pooler> {
  const pooler = await startPgbouncer(url);
  undo.push(() => pooler.close());
  return pooler;
}

async function behindTls(): Promise<{ store: FreshStore; secure: TlsPostgres }> {
  const store = await kept(freshPostgres());
  const secure = await startTlsPostgres(store.url ?? "");
  undo.push(() => secure.close());
  return { store, secure };
}
