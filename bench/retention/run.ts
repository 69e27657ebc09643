/**
 * Whether deleting old events row by row keeps up with new ones, and what daily partitions would cost a turn.
 * SQL fills small days: measured are rows a second, and how the table grows from day to day.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openDatabase } from "../../packages/runtime/src/db/database.ts";
import { EventRetention } from "../../packages/runtime/src/runs/log/event-retention.ts";
import { type BenchPostgres, startPostgres } from "../postgres.ts";
import { figure, median, percentile, report } from "../result.ts";
import { type PartitionCost, partitionCosts } from "./partitions.ts";

const KEPT_DAYS = 7;
const FURTHER_DAYS = 4;
const SESSIONS_A_DAY = 12_000; // of five turns each, with three rows of events a turn
const ROWS_A_DAY = SESSIONS_A_DAY * 15;
const BUSY_ROWS_A_DAY = 12e6; // what one process at its limit writes: docs/scale.md
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 0, 1);

/** A UUIDv7 for turn `t` of session `n` of the day that begins at `$1`: ids are in order of time. */
const RUN_ID = `(select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(m, 1, 3) || '-8' || substr(m, 4, 3) || '-'
  || substr(m, 7, 12))::uuid from (select lpad(to_hex($1::bigint + n * 5 + t), 12, '0') as h, md5($1 || ' ' || n || ' ' || t) as m) id)`;
const SESSION_ID = `md5('session' || $1 || n)::uuid`;

/** $1 the day's first millisecond, $2 sessions. */
const FILL = [
  `insert into sessions(id, owner) select ${SESSION_ID}, 'local@localhost' from generate_series(1, $2::int) n`,
  `insert into runs(id, session_id, agent_id, status, message_id, input, created_at, updated_at)
   select ${RUN_ID}, ${SESSION_ID}, 'a', 'done', 'm' || t, '{}', to_timestamp($1::bigint / 1000.0), to_timestamp($1::bigint / 1000.0)
   from generate_series(1, $2::int) n, generate_series(0, 4) t`,
  `insert into events(session_id, first_seq, last_seq, run_id, payload)
   select ${SESSION_ID}, (t * 3 + e) * 5 + 1, (t * 3 + e + 1) * 5, ${RUN_ID},
     json_build_array(json_build_object('type', 'TEXT_MESSAGE_CONTENT', 'messageId', md5(n || 'x' || t),
       'delta', repeat(md5(n || 'y' || t || e), 14)))
   from generate_series(1, $2::int) n, generate_series(0, 4) t, generate_series(0, 2) e`,
];

interface Day {
  readonly rows: number;
  readonly seconds: number;
  readonly megabytes: number;
}

async function fill(client: pg.Client, day: number): Promise<void> {
  for (const statement of FILL) await client.query(statement, [FIRST_DAY + day * DAY_MS, SESSIONS_A_DAY]);
}

async function sizeMb(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pg_total_relation_size('events')::float8 / 1048576 as mb");
  return rows[0].mb;
}

/** Each day: new events come, those of the eighth day back go, and a vacuum passes as autovacuum does. */
async function days(client: pg.Client, pool: pg.Pool, whileDeleting: () => () => void): Promise<Day[]> {
  const retention = new EventRetention({ pool, days: KEPT_DAYS, onError: console.error });
  const found: Day[] = [];
  for (let day = KEPT_DAYS; day < KEPT_DAYS + FURTHER_DAYS; day++) {
    await fill(client, day);
    const done = whileDeleting();
    const began = performance.now();
    const rows = await retention.forget(new Date(FIRST_DAY + (day + 1) * DAY_MS - 1));
    const seconds = (performance.now() - began) / 1000;
    done();
    await client.query("vacuum analyze events");
    found.push({ rows, seconds, megabytes: await sizeMb(client) });
  }
  return found;
}

/** Commits of a turn that somebody waits for, one after another, until told to stop; their times go into `times`. */
function commits(pool: pg.Pool, times: number[]): () => void {
  let on = true;
  const session = "00000000-0000-7000-8000-00000000b0b0";
  const text = `insert into events(session_id, first_seq, last_seq, run_id, payload)
    select $1, coalesce(max(last_seq), 0) + 1, coalesce(max(last_seq), 0) + 1, $1, '[]' from events where session_id = $1`;
  void (async () => {
    while (on) {
      const began = performance.now();
      await pool.query(text, [session]);
      times.push(performance.now() - began);
    }
  })();
  return () => {
    on = false;
  };
}

async function measured(postgres: BenchPostgres) {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-retention-"));
  await postgres.create("capstan");
  const opened = await openDatabase({ dataDir, url: postgres.url("capstan") });
  if (!opened.ok) throw new Error(opened.failure.message);
  const { pool, close } = opened.value;
  const client = new pg.Client({ connectionString: postgres.url("capstan") });
  await client.connect();
  for (let day = 0; day < KEPT_DAYS; day++) await fill(client, day);
  await client.query("vacuum analyze");
  const startMb = await sizeMb(client);
  const alone: number[] = [];
  const stop = commits(pool, alone);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  stop();
  const beside: number[] = [];
  const found = await days(client, pool, () => commits(pool, beside));
  const partitions = await partitionCosts(client);
  await client.end();
  await close();
  rmSync(dataDir, { recursive: true, force: true });
  return { startMb, alone, beside, found, partitions };
}

const postgres = await startPostgres();
const { startMb, alone, beside, found, partitions } = await measured(postgres);
await postgres.stop();
const rate = median(found.map(({ rows, seconds }) => rows / seconds));
const last = found.at(-1)?.megabytes ?? Number.NaN;
const first = found[0]?.megabytes ?? Number.NaN;
const partitionRow = ({ name, readMs, writeMs, walBytes }: PartitionCost) => ({
  table: name,
  "read, ms": figure(readMs),
  "write, ms": figure(writeMs),
  "log, bytes a row": figure(walBytes),
});
report({
  name: "retention",
  question: "Does deleting old events row by row keep up with writing new ones?",
  method: `A table of ${KEPT_DAYS} days with ${ROWS_A_DAY.toLocaleString("en")} rows each; then ${FURTHER_DAYS} times a new day is added and the oldest removed, by the product's own retention, while turns commit. A vacuum follows each, as with autovacuum. Also measured: what daily partitions would cost the statement that every turn makes.`,
  goals: [
    {
      what: "rows deleted a second vs those a busy process writes (12 million a day)",
      value: rate / (BUSY_ROWS_A_DAY / 86_400),
      atLeast: 20,
      unit: "x",
    },
    { what: "size of the table, four days later", value: last / first, atMost: 1.15, unit: "x" },
  ],
  tables: [
    {
      title: "Day by day",
      rows: [
        { day: "at the start", "rows deleted": "-", "rows/s": "-", MB: figure(startMb) },
        ...found.map(({ rows, seconds, megabytes }, index) => ({
          day: `${index + 1}`,
          "rows deleted": rows,
          "rows/s": figure(rows / seconds),
          MB: figure(megabytes),
        })),
      ],
    },
    {
      title: "A commit of one row, ms",
      rows: [
        { "": "alone", median: figure(median(alone)), p99: figure(percentile(alone, 0.99)) },
        {
          "": "while rows are deleted",
          median: figure(median(beside)),
          p99: figure(percentile(beside, 0.99)),
        },
      ],
    },
    { title: "What a turn's own statement costs", rows: partitions.map(partitionRow) },
  ],
  plots: [],
});
process.exit(0);
