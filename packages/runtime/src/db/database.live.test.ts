import { afterEach, describe, expect, test } from "vitest";
import { type FreshStore, freshPglite, freshPostgres, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "./database.ts";

const stores: FreshStore[] = [];
const open: Database[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.close().catch(() => {})));
  await Promise.all(stores.splice(0).map((store) => store.drop()));
});

describe.each(STORES)("the database on $name", ({ fresh }) => {
  test("keeps working after a failed statement, prepared statements included", async () => {
    const { pool } = await opened(await kept(fresh()));
    expect((await pool.query("select $1::int + 2 as sum", [40])).rows).toEqual([{ sum: 42 }]);
    await expect(pool.query("select $1::int", ["not a number"])).rejects.toThrow(/invalid input syntax/);
    await expect(pool.query("select * from missing_table where id = $1", [1])).rejects.toThrow(
      /does not exist/,
    );
    expect((await pool.query("select $1::int + 1 as sum", [41])).rows).toEqual([{ sum: 42 }]);
    expect((await pool.query("select $1::int + 2 as sum", [41])).rows).toEqual([{ sum: 43 }]);
  });

  test("rolls a failed transaction back whole", async () => {
    const { pool } = await opened(await kept(fresh()));
    const client = await pool.connect();
    await client.query("begin");
    await client.query("insert into users(email) values ($1)", ["a@example.com"]);
    await expect(client.query("insert into users(email) values ($1)", ["a@example.com"])).rejects.toThrow(
      /duplicate/,
    );
    await client.query("rollback");
    client.release();
    expect((await pool.query("select count(*)::int as n from users")).rows).toEqual([{ n: 0 }]);
  });

  test("stores bytes unchanged", async () => {
    const { pool } = await opened(await kept(fresh()));
    const bytes = Buffer.from([0, 255, 10, 13, 92, 120]);
    const { rows } = await pool.query("select $1::bytea as bytes", [bytes]);
    expect(Buffer.compare(rows[0].bytes, bytes)).toBe(0);
  });

  test("agent_capabilities is as the specification writes it", async () => {
    const { pool } = await opened(await kept(fresh()));
    const { rows: columns } = await pool.query(
      `select column_name || ' ' || data_type || coalesce(' ' || character_maximum_length, '') || ' ' || is_nullable
         || coalesce(' ' || column_default, '') as line
       from information_schema.columns where table_name = 'agent_capabilities'`,
    );
    expect(columns.map(({ line }) => line)).toEqual(
      expect.arrayContaining([
        "id uuid NO",
        "agent_id uuid NO",
        "capability_id character varying 50 NO",
        "position integer NO 0",
        "created_at timestamp with time zone NO now()",
      ]),
    );
    const { rows: constraints } = await pool.query(
      `select pg_get_constraintdef(oid) as line from pg_constraint
       where conrelid = 'agent_capabilities'::regclass and contype <> 'n' order by contype`,
    );
    expect(constraints.map(({ line }) => line)).toEqual([
      "FOREIGN KEY (agent_id) REFERENCES agents(id) ON DELETE CASCADE",
      "PRIMARY KEY (id)",
      "UNIQUE (agent_id, capability_id)",
    ]);
    const { rows: indexes } = await pool.query(
      "select indexdef from pg_indexes where tablename = 'agent_capabilities'",
    );
    expect(indexes.map(({ indexdef }) => indexdef)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/idx_agent_capabilities_agent_id .*\(agent_id\)$/),
        expect.stringMatching(/idx_agent_capabilities_position .*\(agent_id, "?position"?\)$/),
      ]),
    );
  });

  test("keeps its data when it is reopened", async () => {
    const store = await kept(fresh());
    const first = await opened(store);
    await first.pool.query("insert into users(email) values ($1)", ["kept@example.com"]);
    await first.close();
    const second = await opened(store);
    expect((await second.pool.query("select email from users")).rows).toEqual([
      { email: "kept@example.com" },
    ]);
  });
});

describe("the embedded store", () => {
  test("refuses a second server on the same folder and names the process that holds it", async () => {
    const store = await kept(freshPglite());
    const lockHolder = process.ppid; // some other process that lives
    const { writeFileSync } = await import("node:fs");
    writeFileSync(`${store.dataDir}/capstan.pid`, `${lockHolder}\n`);
    const second = await openDatabase(store);
    expect(second).toMatchObject({ ok: false, failure: { code: "data_folder_locked" } });
    expect(second.ok === false && second.failure.message).toContain(String(lockHolder));
  });

  test("takes over the lock of a dead process", async () => {
    const store = await kept(freshPglite());
    const { writeFileSync } = await import("node:fs");
    writeFileSync(`${store.dataDir}/capstan.pid`, "4194303999\n");
    expect((await opened(store)).kind).toBe("pglite");
  });
});

describe("the schema on Postgres", () => {
  test("is only checked when it is up to date: a start does not wait for the lock", async () => {
    const store = await kept(freshPostgres());
    const { pool } = await opened(store);
    const holder = await pool.connect();
    await holder.query("select pg_advisory_lock(4400001)");
    const again = await opened(store);
    expect((await again.pool.query("select count(*)::int as n from users")).rows).toEqual([{ n: 0 }]);
    await holder.query("select pg_advisory_unlock(4400001)");
    holder.release();
  });
});

describe("a Postgres that does not answer", () => {
  test("is named with a next step, without its password", async () => {
    const store = await kept(freshPglite());
    const result = await openDatabase({
      dataDir: store.dataDir,
      url: "postgres://me:secret@127.0.0.1:1/none",
    });
    expect(result).toMatchObject({ ok: false, failure: { code: "database_unreachable" } });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  test.each<[string, (url: string) => string, RegExp]>([
    ["this password", (url) => url.replace(/:[^:@]+@/, ":wrong-one@"), /password|does not exist/],
    ["this database", (url) => `${url}-none`, /does not exist/],
  ])("is not retried when it does not know %s", async (_what, wrong, why) => {
    const store = await kept(freshPostgres());
    const result = await openDatabase({ dataDir: store.dataDir, url: wrong(store.url ?? "") });
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "database_refused", message: expect.stringMatching(why) },
    });
    expect(JSON.stringify(result)).not.toContain("wrong-one");
  });
});

async function kept(store: Promise<FreshStore>): Promise<FreshStore> {
  const fresh = await store;
  stores.push(fresh);
  return fresh;
}

async function opened(store: FreshStore): Promise<Database> {
  const result = await openDatabase(store);
  if (!result.ok) throw new Error(result.failure.message);
  open.push(result.value);
  return result.value;
}
