/**
 * Tickets in Postgres: the server of DATABASE_URL through a pool of reused connections, or PGlite, which is Postgres in
 * this process, in the data folder. The rest of the service cannot tell which.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";

const POOL_SIZE = 5;

export interface TicketDatabase {
  kind: string;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

const TABLES = `
create table if not exists tickets (
  id text primary key, title text not null, body text not null, status text not null default 'open',
  customer text not null default '', created_at timestamptz not null default now(),
  words tsvector generated always as (to_tsvector('simple', title || ' ' || body || ' ' || customer)) stored);
create index if not exists tickets_words on tickets using gin (words);
create table if not exists notes (
  id bigserial primary key, ticket_id text not null references tickets(id) on delete cascade, body text not null,
  author text not null, request_key text unique, created_at timestamptz not null default now());
`;

export async function openDatabase({
  url,
  dataDir,
}: {
  url: string | undefined;
  dataDir: string;
}): Promise<TicketDatabase> {
  const database = url ? onServer(url) : await embedded(dataDir);
  for (const statement of TABLES.split(";").filter((each) => each.trim())) await database.query(statement);
  return database;
}

function onServer(url: string): TicketDatabase {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  pool.on("error", (error) => console.error(error.message));
  return {
    kind: "Postgres",
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    close: () => pool.end(),
  };
}

async function embedded(dataDir: string): Promise<TicketDatabase> {
  mkdirSync(dataDir, { recursive: true });
  const lite = await PGlite.create(join(dataDir, "db"));
  return {
    kind: "an embedded Postgres",
    query: async (sql, values) => (await lite.query<Record<string, unknown>>(sql, values)).rows,
    close: () => lite.close(),
  };
}
