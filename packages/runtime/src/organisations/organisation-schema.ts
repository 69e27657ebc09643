/**
 * An organisation's place in the store: a schema with a copy of every table, and a role that may use it and nothing
 * else. Row-level security is a second layer: rows are visible only to sessions in the table's organisation with that
 * organisation's role, even if a role was granted too much by mistake.
 */
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import type { Database } from "../db/database.ts";
import { migrationFiles, underLock } from "../db/migrate.ts";
import type { Scope } from "../db/scoped-pool.ts";
import { inTransaction } from "../db/transaction.ts";

/** Short: it is part of names, which Postgres cuts at 63 characters. */
export const ORGANISATION_ID = /^[a-z][a-z0-9-]{1,29}$/;
/** The name of the organisation that always exists. */
export const FIRST_ORGANISATION = "default";

const SETTING = "capstan.organisation";
const NO_RIGHT_TO_MAKE_ROLES = "42501";
/** How the roles of organisations begin; see `roleIn`. */
const ROLE = "^capstan_[0-9]+_";

export const schemaOf = (organisation: string): string => `organisation_${organisation}`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Roles belong to the whole server of Postgres, so the database is part of the name. */
async function roleIn(pool: pg.Pool | pg.PoolClient, organisation: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    "select oid::text as id from pg_database where datname = current_database()",
  );
  return `capstan_${rows[0]?.id}_${organisation}`;
}

/** How a session enters an organisation, and how it leaves. */
export async function scopeOf({ pool }: Pick<Database, "pool">, organisation: string): Promise<Scope> {
  const role = quoted(await roleIn(pool, organisation));
  const schema = quoted(schemaOf(organisation));
  return {
    enter: `set search_path to ${schema}; set ${SETTING} = '${organisation}'; set role ${role}`,
    leave: `rollback; reset role; reset search_path; reset ${SETTING}`,
  };
}

/** Creates what is missing and migrates its tables; at each start, and again after an interruption. */
export async function prepareOrganisation(
  database: Pick<Database, "kind" | "pool" | "sessionPool">,
  organisation: string,
): Promise<Result<true>> {
  if (!ORGANISATION_ID.test(organisation)) throw new Error(`no organisation: ${organisation}`);
  const role = await roleIn(database.pool, organisation);
  const prepare = () => inTransaction(database.sessionPool, (client) => place(client, organisation, role));
  try {
    await (database.kind === "pglite" ? prepare() : underLock(database.sessionPool, prepare));
    return ok(true);
  } catch (error) {
    if ((error as { code?: string }).code !== NO_RIGHT_TO_MAKE_ROLES) throw error;
    const { rows } = await database.pool.query<{ name: string }>("select current_user as name");
    return fail("organisation_needs_role", { role: rows[0]?.name ?? "" });
  }
}

/** Removes it with everything in it. */
export async function dropOrganisation(
  database: Pick<Database, "kind" | "pool" | "sessionPool">,
  organisation: string,
): Promise<void> {
  const role = await roleIn(database.pool, organisation);
  await inTransaction(database.sessionPool, async (client) => {
    await client.query(`drop schema if exists ${quoted(schemaOf(organisation))} cascade`);
    if (!(await hasRole(client, role))) return;
    await client.query(`drop owned by ${quoted(role)}`);
    await client.query(`drop role ${quoted(role)}`);
  });
}

/** For a restore: its tables as of the backup's migration. */
export const placeOrganisation = async (
  client: pg.PoolClient,
  organisation: string,
  upTo: number,
): Promise<void> => place(client, organisation, await roleIn(client, organisation), upTo);

async function place(
  client: pg.PoolClient,
  organisation: string,
  role: string,
  upTo = Number.POSITIVE_INFINITY,
): Promise<void> {
  const schema = schemaOf(organisation);
  await client.query(`create schema if not exists ${quoted(schema)}`);
  await copyTables(client, schema, upTo);
  if (!(await hasRole(client, role))) {
    await client.query(`create role ${quoted(role)} nologin nosuperuser nobypassrls`);
    await client.query(`grant ${quoted(role)} to current_user`);
  }
  await client.query(`grant usage on schema ${quoted(schema)} to ${quoted(role)}`);
  await client.query(
    `grant select, insert, update, delete on all tables in schema ${quoted(schema)} to ${quoted(role)}`,
  );
  await client.query(
    `grant usage, select, update on all sequences in schema ${quoted(schema)} to ${quoted(role)}`,
  );
  await secureRows(client, schema, {
    organisation: `current_setting('${SETTING}', true) = '${organisation}'`,
    organisation_role: `current_user ~ '${ROLE}${organisation}$'`,
  });
  await secureRows(client, "public", {
    organisation: `coalesce(current_setting('${SETTING}', true), '') = ''`,
    organisation_role: `current_user !~ '${ROLE}'`,
  });
}

/** The same migrations as the first organisation's, in another schema. */
async function copyTables(client: pg.PoolClient, schema: string, upTo: number): Promise<void> {
  const done = `${quoted(schema)}.migrations`;
  await client.query(`create table if not exists ${done} (created_at bigint primary key)`);
  const { rows } = await client.query<{ at: string | null }>(`select max(created_at) as at from ${done}`);
  const last = Number(rows[0]?.at ?? 0);
  await client.query(`set local search_path to ${quoted(schema)}`);
  for (const { folderMillis, sql } of migrationFiles()) {
    if (folderMillis <= last || folderMillis > upTo) continue;
    for (const statement of sql) await client.query(statement.replaceAll('"public".', `${quoted(schema)}.`));
    await client.query(`insert into ${done} values (${folderMillis})`);
  }
  await client.query("set local search_path to default");
}

/** Both must hold: a session can change its setting, but not its role. */
const POLICIES = { organisation: "permissive", organisation_role: "restrictive" } as const;

/**
 * A table's owner is exempt, so the first organisation's own connections pay nothing for it. Tables that others put
 * into `public` are left alone.
 */
async function secureRows(
  client: pg.PoolClient,
  schema: string,
  isInside: Readonly<Record<keyof typeof POLICIES, string>>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; policy: keyof typeof POLICIES }>(
    `select c.relname as name, wanted.policy from pg_class c join pg_namespace n on n.oid = c.relnamespace
     cross join unnest($2::text[]) as wanted (policy)
     where n.nspname = $1 and c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user
       and not exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = wanted.policy)`,
    [schema, Object.keys(POLICIES)],
  );
  for (const { name, policy } of rows) {
    const table = `${quoted(schema)}.${quoted(name)}`;
    await client.query(
      `create policy ${policy} on ${table} as ${POLICIES[policy]} using (${isInside[policy]}) with check (${isInside[policy]})`,
    );
    if (policy === "organisation") await client.query(`alter table ${table} enable row level security`);
  }
}

async function hasRole(client: pg.PoolClient, role: string): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_roles where rolname = $1", [role]);
  return rows.length > 0;
}
