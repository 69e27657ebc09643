/** Two organisations in one store: what the database itself refuses, whatever the program asks. */
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { keyStore } from "../users/key-store.ts";
import { openOrganisationDatabase } from "./organisation-database.ts";
import { dropOrganisation, prepareOrganisation } from "./organisation-schema.ts";

/** Not an organisation's data, so they are in the first schema alone. */
const OF_THE_SERVER: Readonly<Record<string, string>> = {};

describe.each(STORES)("organisations on $name", ({ fresh }) => {
  let store: FreshStore;
  let first: Database;
  let acme: Database;
  let beta: Database;

  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase(store);
    if (!opened.ok) throw new Error(opened.failure.message);
    first = opened.value;
    [acme, beta] = [await openIn(first, "acme"), await openIn(first, "beta")];
    for (const [database, name] of [
      [first, "first"],
      [acme, "acme"],
      [beta, "beta"],
    ] as const)
      await database.pool.query("insert into agents (id, owner, name) values ($1, 'o@example.com', $2)", [
        uuidv7(),
        name,
      ]);
  }, 60_000);
  afterAll(async () => {
    await acme?.close();
    await beta?.close();
    await first?.close();
    await store?.drop();
  });

  test("a query without any filter sees its own organisation's rows alone", async () => {
    for (const [database, name] of [
      [first, "first"],
      [acme, "acme"],
      [beta, "beta"],
    ] as const)
      expect(await namesIn(database)).toEqual([name]);
  });

  test("a query that names another organisation's table is refused, for every table and statement", async () => {
    for (const table of await tablesOf(first, "public"))
      for (const schema of ["public", "organisation_beta"])
        for (const statement of [
          `select * from ${schema}.${table}`,
          `delete from ${schema}.${table}`,
          `insert into ${schema}.${table} default values`,
        ])
          await expect(acme.pool.query(statement), statement).rejects.toThrow(/permission denied/);
  });

  test("row-level security hides every row, even when somebody granted everything by mistake", async () => {
    const { rows } = await acme.pool.query<{ role: string }>("select current_user as role");
    const role = rows[0]?.role;
    for (const schema of ["public", "organisation_beta"]) {
      await first.pool.query(`grant usage on schema ${schema} to "${role}"`);
      await first.pool.query(`grant all on all tables in schema ${schema} to "${role}"`);
    }
    try {
      for (const schema of ["public", "organisation_beta"]) {
        for (const table of await tablesOf(first, schema))
          for (const setting of ["acme", "beta", ""])
            expect(await rowsSeenAs(setting, `${schema}.${table}`), `${table} as "${setting}"`).toBe(0);
        expect((await acme.pool.query(`update ${schema}.agents set name = 'stolen'`)).rowCount).toBe(0);
        expect((await acme.pool.query(`delete from ${schema}.agents`)).rowCount).toBe(0);
        await expect(
          acme.pool.query(`insert into ${schema}.agents (id, owner, name) values ($1, 'o', 'planted')`, [
            uuidv7(),
          ]),
        ).rejects.toThrow(/row-level security/);
      }
      expect([await namesIn(first), await namesIn(beta)]).toEqual([["first"], ["beta"]]);
    } finally {
      for (const schema of ["public", "organisation_beta"]) {
        await first.pool.query(`revoke all on all tables in schema ${schema} from "${role}"`);
        await first.pool.query(`revoke usage on schema ${schema} from "${role}"`);
      }
    }
  });

  /** What acme's session sees after it changed its own setting. */
  const rowsSeenAs = (setting: string, table: string) =>
    inTransaction(acme.pool, async (client) => {
      await client.query("select set_config('capstan.organisation', $1, true)", [setting]);
      return (await client.query(`select 1 from ${table}`)).rowCount;
    });

  test("every table of the first organisation is in every other one, with row-level security on both", async () => {
    const of = (schema: string) => tablesOf(first, schema);
    const copied = (await of("public")).filter((table) => OF_THE_SERVER[table] === undefined);
    expect((await of("organisation_acme")).filter((table) => table !== "migrations")).toEqual(copied);
    const { rows } = await first.pool.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and not c.relrowsecurity and n.nspname in ('public', 'organisation_acme', 'organisation_beta')`,
    );
    expect(rows).toEqual([]);
  });

  test("no foreign key of one leads into another", async () => {
    const { rows } = await first.pool.query(
      `select c.conname from pg_constraint c join pg_class a on a.oid = c.conrelid join pg_class b on b.oid = c.confrelid
       where c.contype = 'f' and a.relnamespace <> b.relnamespace`,
    );
    expect(rows).toEqual([]);
  });

  test("statements of several organisations at once stay in their own, also in transactions and after errors", async () => {
    const all = [first, acme, beta];
    const names = ["first", "acme", "beta"];
    const asked = Array.from({ length: 60 }, async (_, at) => {
      const database = all[at % 3] as Database;
      if (at % 4 === 1) await database.pool.query("select nonsense").catch(() => {});
      if (at % 4 === 2)
        await inTransaction(database.pool, (client) => client.query("select 1 / 0")).catch(() => {});
      const found = await inTransaction(database.pool, async (client) => {
        await client.query("select 1");
        return (await client.query<{ name: string }>("select name from agents")).rows;
      });
      expect(found).toEqual([{ name: names[at % 3] }]);
      expect(await database.orm.transaction((tx) => tx.execute("select name from agents"))).toMatchObject({
        rows: [{ name: names[at % 3] }],
      });
    });
    await Promise.all(asked);
  });

  test("a key names its organisation, and is unknown in every other", async () => {
    const { key } = await keyStore(acme).create({
      name: "k",
      owner: "o@example.com",
      rights: ["admin"],
      perMinute: 10,
    });
    expect(key).toMatch(/^cap_acme\.[\w-]{43}$/);
    expect(await keyStore(acme).find(key)).toMatchObject({ name: "k" });
    expect(await keyStore(beta).find(key)).toBeUndefined();
    expect(await keyStore(first).find(key)).toBeUndefined();
  });

  test("preparing one again changes nothing, and removing one leaves nothing of it", async () => {
    expect(await prepareOrganisation(first, "acme")).toEqual({ ok: true, value: true });
    expect(await namesIn(acme)).toEqual(["acme"]);
    const gone = await openIn(first, "gone");
    await gone.close();
    await dropOrganisation(first, "gone");
    const { rows } = await first.pool.query(
      "select nspname from pg_namespace where nspname like '%gone' union all select rolname from pg_roles where rolname like '%\\_gone'",
    );
    expect(rows).toEqual([]);
  });
});

async function openIn(first: Database, id: string): Promise<Database> {
  const opened = await openOrganisationDatabase(first, id);
  if (!opened.ok) throw new Error(opened.failure.message);
  return opened.value;
}

const namesIn = async ({ pool }: Database) =>
  (await pool.query<{ name: string }>("select name from agents order by name")).rows.map(({ name }) => name);

const tablesOf = async ({ pool }: Database, schema: string) =>
  (
    await pool.query<{ name: string }>(
      "select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and relkind = 'r' order by relname",
      [schema],
    )
  ).rows.map(({ name }) => name);
