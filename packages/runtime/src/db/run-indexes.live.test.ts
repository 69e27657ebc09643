/** The hashed indexes of runs, seen in use: counted by the database while the product's own statements run. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { readFigures } from "../agents/revision-figures.ts";
import { findRuns } from "../runs/history/session-history.ts";
import { type Database, openDatabase } from "./database.ts";

const RUNS = 5000;
const AGENTS = 500;
const WHOLE_TABLE = expect.objectContaining({ name: "runs" });
const TIMES = 12; // from the sixth on, Postgres may choose a plan that knows no values

describe.each(STORES)("on $name", ({ fresh }) => {
  let store: FreshStore;
  let database: Database;

  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase({ dataDir: store.dataDir, ...(store.url && { url: store.url }) });
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
    await database.pool.query("insert into sessions (id, owner) values ($1, $2)", [randomUUID(), "ann"]);
    await database.pool.query(
      `insert into runs (id, session_id, agent_id, revision, status, message_id, input)
       select gen_random_uuid(), (select id from sessions limit 1), 'agent-' || n % ${AGENTS}, n % 3, 'done', 'm' || n,
         json_build_object('clientRunId', 'client-' || n) from generate_series(1, ${RUNS}) n`,
    );
    await database.pool.query("analyze runs");
  });
  afterAll(async () => {
    await database?.close();
    await store?.drop();
  });

  test("a client's own id finds its run through the index, however often it is asked", async () => {
    const used = await indexesUsed(async (client, turn) => {
      const { items } = await findRuns(client, { clientRunId: `client-${turn + 1}`, limit: 50 });
      expect(items).toHaveLength(1);
    });
    expect(used).toContainEqual({ name: "runs_client_hash", scans: TIMES });
    expect(used).not.toContainEqual(WHOLE_TABLE);
  });

  test("the figures of a revision are read through the index, however often", async () => {
    const used = await indexesUsed(async (client, turn) => {
      const figures = await readFigures({ pool: client }, `agent-${turn}`, [0, 1]);
      expect(figures(0).runs + figures(1).runs).toBeGreaterThan(0);
    });
    expect(used.map(({ name }) => name)).toContain("runs_revision_hash");
    expect(used).not.toContainEqual(WHOLE_TABLE);
  });

  test.each(["queued", "running", "waiting"])(
    "a %s run is found by its client's id, and counted",
    async (status) => {
      const [session, run, agent] = [randomUUID(), randomUUID(), randomUUID()];
      await database.pool.query("insert into sessions (id, owner) values ($1, 'ann')", [session]);
      await database.pool.query(
        `insert into runs (id, session_id, agent_id, revision, status, message_id, input) values ($1, $2, $3, 1, $4, 'm', $5)`,
        [run, session, agent, status, JSON.stringify({ clientRunId: `of ${run}` })],
      );
      const { items } = await findRuns(database.pool, { clientRunId: `of ${run}`, limit: 5 });
      expect(items.map(({ id }) => id)).toEqual([run]);
      expect((await readFigures(database, agent, [1]))(1).runs).toBe(1);
    },
  );

  /** Of the table runs, while `ask` runs on one connection; a scan of the whole table is called `runs`. */
  async function indexesUsed(ask: (client: pg.Pool, turn: number) => Promise<void>) {
    const client = await database.pool.connect();
    try {
      await client.query("begin");
      const before = await scans(client);
      for (let turn = 0; turn < TIMES; turn++) await ask(client as never, turn);
      const after = await scans(client);
      return after
        .map(({ name, scans }, at) => ({ name, scans: scans - (before[at]?.scans ?? 0) }))
        .filter(({ scans }) => scans > 0);
    } finally {
      await client.query("rollback");
      client.release();
    }
  }
});

async function scans(client: pg.PoolClient) {
  const { rows } = await client.query<{ name: string; scans: number }>(
    `select relname as name, coalesce(pg_stat_get_xact_numscans(oid), 0)::int as scans from pg_class
     where oid = 'runs'::regclass or oid in (select indexrelid from pg_index where indrelid = 'runs'::regclass)
     order by relname`,
  );
  return rows;
}
