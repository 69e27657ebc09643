/** Catalog of our tables in a store: their columns, their order, which are empty. */
import type pg from "pg";
import { schemaOf } from "../organisations/organisation-schema.ts";

export interface StoreTable {
  readonly name: string;
  /** Absent: of the first one. */
  readonly organisation?: string;
  readonly columns: readonly StoreColumn[];
}

export interface StoreColumn {
  readonly name: string;
  /** The type as Postgres writes it, for casting from text. */
  readonly type: string;
  /** Takes its values from a sequence. */
  readonly counts: boolean;
}

/** Heartbeats of processes, and the search index, which is rebuilt: not data. */
const NOT_KEPT = new Set(["executors", "session_texts"]);

const COLUMNS = `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
    pg_get_serial_sequence(quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname) is not null as counts
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where n.nspname = $1 and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const REFERENCES = `select r.relname as table, f.relname as needs
  from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_class f on f.oid = c.confrelid
    join pg_namespace n on n.oid = r.relnamespace
  where c.contype = 'f' and c.conrelid <> c.confrelid and n.nspname = $1`;

/** `named`: only these; default: all of the organisation's schema. A table comes after those it references. */
export async function storeTables(
  client: pg.Pool | pg.PoolClient,
  named?: readonly string[],
  organisation?: string,
): Promise<StoreTable[]> {
  const schema = organisation === undefined ? "public" : schemaOf(organisation);
  const { rows } = await client.query<{ table: string; column: string; type: string; counts: boolean }>(
    COLUMNS,
    [schema],
  );
  const tables = new Map<string, StoreColumn[]>();
  for (const { table, column, type, counts } of rows) {
    if (NOT_KEPT.has(table) || (named && !named.includes(table))) continue;
    const columns = tables.get(table) ?? [];
    columns.push({ name: column, type, counts });
    tables.set(table, columns);
  }
  const { rows: references } = await client.query<{ table: string; needs: string }>(REFERENCES, [schema]);
  return inOrder([...tables.keys()], references).map((name) => ({
    name,
    ...(organisation !== undefined && { organisation }),
    columns: tables.get(name) ?? [],
  }));
}

export async function tablesWithRows(
  client: pg.Pool | pg.PoolClient,
  tables: readonly StoreTable[],
): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const { rows } = await client.query(`select 1 from ${placeOf(table)} limit 1`);
    if (rows.length > 0) found.push(table.name);
  }
  return found;
}

/** Servers with a recent heartbeat; 0 where the table does not exist yet. */
export async function liveServers(pool: pg.Pool): Promise<number> {
  const { rows: there } = await pool.query("select to_regclass('public.executors') as name");
  if (there[0]?.name === null) return 0;
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from executors where seen > now() - interval '10 seconds'",
  );
  return rows[0]?.count ?? 0;
}

/** The schema of a further organisation as it is now: a disabled one may lack the newest migrations. */
export interface StoredOrganisation {
  readonly id: string;
  /** When the last migration of its tables was made; also their order. */
  readonly migrated_to: string;
}

/** Those whose tables exist. */
export async function storedOrganisations(pool: pg.Pool): Promise<StoredOrganisation[]> {
  const { rows: there } = await pool.query("select to_regclass('public.organisations') as name");
  if (there[0]?.name === null) return [];
  const { rows } = await pool.query<{ id: string }>(
    "select id from organisations where ready_at is not null order by id",
  );
  return Promise.all(rows.map(async ({ id }) => ({ id, migrated_to: await migratedTo(pool, id) })));
}

async function migratedTo(pool: pg.Pool, organisation: string): Promise<string> {
  const { rows } = await pool.query<{ at: string }>(
    `select max(created_at)::text as at from ${quoted(schemaOf(organisation))}.migrations`,
  );
  return rows[0]?.at ?? "0";
}

/** With its schema: the search path knows only the first one's. */
export const placeOf = ({ name, organisation }: Pick<StoreTable, "name" | "organisation">): string =>
  `${organisation === undefined ? "public" : quoted(schemaOf(organisation))}.${quoted(name)}`;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function inOrder(names: string[], references: readonly { table: string; needs: string }[]): string[] {
  const placed: string[] = [];
  const visiting = new Set<string>();
  const place = (name: string): void => {
    if (placed.includes(name) || visiting.has(name)) return;
    visiting.add(name);
    for (const { table, needs } of references) if (table === name && names.includes(needs)) place(needs);
    placed.push(name);
  };
  for (const name of names.toSorted()) place(name);
  return placed;
}
