/** Rules, budgets and text checks are read and compiled again only when a row of theirs changed. */
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "./database.ts";
import { keptPolicies } from "./kept-policies.ts";

describe.each(STORES)("kept policies on $name", ({ fresh }) => {
  let store: FreshStore;
  let database: Database;
  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase({ dataDir: store.dataDir, url: store.url });
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
  });
  afterAll(async () => {
    await database?.close();
    await store?.drop();
  });

  const INSERT = `insert into rules(id, name, tools, conditions, effect, created_by) values ($1, $2, '["add"]', '[]', 'deny', 'root')`;

  test("any write of a row reads them again, whoever wrote it and in whatever order; a look alone does not", async () => {
    let loads = 0;
    const kept = keptPolicies(database, "rules", async () => {
      loads += 1;
      const { rows } = await database.pool.query<{ name: string }>("select name from rules order by name");
      return rows.map(({ name }) => name);
    });
    const look = async () => {
      kept.forget(); // looks now instead of in half a second
      return kept.get();
    };
    const [one, two] = [uuidv7(), uuidv7()];
    expect([await look(), await look(), loads]).toEqual([[], [], 1]);
    await database.pool.query(INSERT, [one, "a"]);
    await database.pool.query(INSERT, [two, "b"]);
    expect([await look(), await look(), loads]).toEqual([["a", "b"], ["a", "b"], 2]);
    await database.pool.query("update rules set name = 'c' where id = $1", [one]); // its updated_at stays
    expect([await look(), loads]).toEqual([["b", "c"], 3]);
    await database.pool.query("delete from rules where id = $1", [two]);
    expect([await look(), await look(), loads]).toEqual([["c"], ["c"], 4]);
    await database.pool.query("delete from rules where id = $1", [one]);
    await database.pool.query(INSERT, [one, "c"]);
    expect([await look(), loads]).toEqual([["c"], 5]);
  });

  test("a failed read is not kept", async () => {
    let fails = true;
    const kept = keptPolicies(database, "budgets", async () => {
      if (fails) throw new Error("gone");
      return "read";
    });
    await expect(kept.get()).rejects.toThrow("gone");
    fails = false;
    expect(await kept.get()).toBe("read");
  });
});
