/** What a Postgres reports about itself at startup, and whether Capstan can use it: each reason with what helps. */
import { fail, ok, type Refused, type Result } from "@capstan/core";
import type pg from "pg";

/** Two for each pool: one listens to other processes permanently, one holds the lock while another creates tables. */
export const LEAST_CONNECTIONS = 4;

const FACTS = `select pg_backend_pid() as session, current_setting('server_encoding') as encoding,
  current_setting('transaction_read_only') = 'on' as read_only, pg_is_in_recovery() as is_replica,
  session_user as role, current_database() as database,
  (select rolconnlimit from pg_roles where rolname = session_user) as role_limit,
  (select datconnlimit from pg_database where datname = current_database()) as database_limit,
  has_database_privilege(current_database(), 'CREATE') as makes_schemas,
  coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'CREATE'), false) as makes_tables,
  to_regnamespace('drizzle') is not null and to_regnamespace('dbos') is not null as is_set_up`;

export interface PostgresFacts {
  /** The process that serves the connection. */
  readonly session: number;
  readonly encoding: string;
  readonly read_only: boolean;
  readonly is_replica: boolean;
  readonly role: string;
  readonly database: string;
  /** -1: none. */
  readonly role_limit: number;
  readonly database_limit: number;
  readonly makes_schemas: boolean;
  readonly makes_tables: boolean;
  /** Its schemas exist, so no permission to create them is needed. */
  readonly is_set_up: boolean;
}

export async function readFacts(client: pg.ClientBase): Promise<PostgresFacts> {
  const { rows } = await client.query<PostgresFacts>(FACTS);
  const [facts] = rows;
  if (!facts) throw new Error("the database answered without a row");
  return facts;
}

/** The maximum number of connections, of those requested. */
export function usableConnections(facts: PostgresFacts, wanted: number, location: string): Result<number> {
  const limits = [facts.role_limit, facts.database_limit].filter((limit) => limit >= 0);
  const allowed = Math.min(wanted, ...limits);
  if (allowed >= LEAST_CONNECTIONS) return ok(allowed);
  const { role, database, role_limit: limit } = facts;
  const what =
    limit >= 0 && limit <= allowed ? `ALTER ROLE ${quoted(role)}` : `ALTER DATABASE ${quoted(database)}`;
  const nextStep = `Run \`${what} CONNECTION LIMIT 20\`, or \`-1\` for no limit.`;
  return fail("database_unsuitable", {
    location,
    why: `it allows ${allowed} connections at once, and ${LEAST_CONNECTIONS} are required`,
    nextStep,
  });
}

/** The first problem found. */
export function refusedBy(facts: PostgresFacts, location: string): Refused | undefined {
  const unsuitable = (why: string, nextStep: string) =>
    fail("database_unsuitable", { location, why, nextStep });
  const { encoding, role, database } = facts;
  if (encoding !== "UTF8")
    return unsuitable(
      `its encoding is ${encoding}, which cannot store every text`,
      `Create one that can: \`CREATE DATABASE capstan ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0\`, and name it in DATABASE_URL.`,
    );
  if (facts.is_replica)
    return unsuitable("it is a replica, which cannot be written to", "Name the primary in DATABASE_URL.");
  if (facts.read_only)
    return unsuitable(
      `the role "${role}" is read-only`,
      `Run \`ALTER ROLE ${quoted(role)} SET default_transaction_read_only = off\` (or the same for the database), or name another role in DATABASE_URL.`,
    );
  if (facts.is_set_up) return undefined;
  const grants = [
    ...(facts.makes_schemas ? [] : [`GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(role)}`]),
    ...(facts.makes_tables ? [] : [`GRANT USAGE, CREATE ON SCHEMA public TO ${quoted(role)}`]),
  ];
  if (grants.length === 0) return undefined;
  return unsuitable(
    `the role "${role}" is not allowed to create tables`,
    `As the database's owner run \`${grants.join("; ")}\`.`,
  );
}

/**
 * Whether two connections share one backend process, or one uses two: then a pooler assigns backends
 * per transaction, and session state (a lock, LISTEN, a prepared statement) is lost.
 */
export async function isPooledByTransaction(
  first: pg.ClientBase,
  session: number,
  second: pg.ClientBase,
): Promise<boolean> {
  const own = async (client: pg.ClientBase): Promise<number> =>
    (await client.query<{ session: number }>("select pg_backend_pid() as session")).rows[0]?.session ?? 0;
  await second.query("begin");
  try {
    const other = await own(second);
    return other === session || (await own(first)) !== session;
  } finally {
    await second.query("rollback");
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
