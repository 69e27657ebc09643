/** The same rows in one table and in partitions by day of their run: what reading a session's last number and adding a row cost. */
import type pg from "pg";
import { median } from "../result.ts";

const PARTITIONS = [7, 30, 365];
const ROUNDS = 400;
const BUFFERED = 3; // a prepared statement gets its general plan after five executions

export interface PartitionCost {
  readonly name: string;
  readonly readMs: number;
  readonly writeMs: number;
  readonly walBytes: number;
}

export async function partitionCosts(client: pg.Client): Promise<PartitionCost[]> {
  await client.query("set synchronous_commit = off"); // the disk is the same for all; what differs is the work
  await client.query("set plan_cache_mode = force_generic_plan");
  const { rows: sessions } = await client.query("select distinct session_id as id from events limit 200");
  const ids = sessions.map(({ id }) => id as string);
  const costs = [await cost(client, "one table", "events", ids)];
  for (const count of PARTITIONS) {
    const table = `events_${count}`;
    await partitioned(client, table, count);
    costs.push(await cost(client, `${count} partitions`, table, ids));
    await client.query(`drop table ${table}`);
  }
  return costs;
}

/** By ranges of the run's id, which begins with its time: no new column, but a key that must hold the run. */
async function partitioned(client: pg.Client, table: string, count: number): Promise<void> {
  await client.query(
    `create table ${table} (like events, primary key (session_id, last_seq, run_id)) partition by range (run_id)`,
  );
  const { rows } = await client.query(
    "select min(id::text) as first, max(id::text) as last from runs where id::text < 'ff'",
  );
  const millisOf = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16);
  const [first, last] = [millisOf(rows[0].first), millisOf(rows[0].last)];
  const edge = (part: number) => uuidAt(Math.round(first + ((last - first) * part) / count));
  for (let part = 0; part < count; part++) {
    const from = part === 0 ? "minvalue" : `'${edge(part)}'`;
    const to = part === count - 1 ? "maxvalue" : `'${edge(part + 1)}'`;
    await client.query(
      `create table ${table}_${part} partition of ${table} for values from (${from}) to (${to})`,
    );
  }
  await client.query(`insert into ${table} select * from events`);
  await client.query(`vacuum analyze ${table}`);
}

async function cost(
  client: pg.Client,
  name: string,
  table: string,
  ids: readonly string[],
): Promise<PartitionCost> {
  const reads: number[] = [];
  const writes: number[] = [];
  const read = {
    name: `read-${table}`,
    text: `select max(last_seq) as last from ${table} where session_id = $1`,
  };
  const write = {
    name: `write-${table}`,
    text: `insert into ${table}(session_id, first_seq, last_seq, run_id, payload)
      select $1, coalesce(max(last_seq), 0) + 1, coalesce(max(last_seq), 0) + 1, $2, '["x"]' from ${table} where session_id = $1`,
  };
  const { rows } = await client.query("select max(id::text) as id from runs where id::text < 'ff'");
  const before = await logAt(client);
  for (let round = -BUFFERED; round < ROUNDS; round++) {
    const id = ids[Math.abs(round) % ids.length];
    const began = performance.now();
    await client.query({ ...read, values: [id] });
    const between = performance.now();
    await client.query({ ...write, values: [id, rows[0].id] });
    if (round < 0) continue;
    reads.push(between - began);
    writes.push(performance.now() - between);
  }
  const walBytes = ((await logAt(client)) - before) / (ROUNDS + BUFFERED);
  return { name, readMs: median(reads), writeMs: median(writes), walBytes };
}

async function logAt(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select (pg_current_wal_insert_lsn() - '0/0')::float8 as at");
  return rows[0].at;
}

function uuidAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
