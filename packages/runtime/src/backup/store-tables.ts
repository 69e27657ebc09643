/** Catalog of our tables in a store: their columns, their order, which are empty. */
import type pg from "pg";

export interface StoreTable {
  readonly name: string;
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
  where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const REFERENCES = `select c.conrelid::regclass::text as table, c.confrelid::regclass::text as needs
  from pg_constraint c where c.contype = 'f' and c.conrelid <> c.confrelid`;

/** `named`: only these; default: all of the schema. A table comes after those it references. */
export async function storeTables(
  client: pg.Pool | pg.PoolClient,
  named?: readonly string[],
): Promise<StoreTable[]> {
  const { rows } = await client.query<{ table: string; column: string; type: string; counts: boolean }>(
    COLUMNS,
  );
  const tables = new Map<string, StoreColumn[]>();
  for (const { table, column, type, counts } of rows) {
    if (NOT_KEPT.has(table) || (named && !named.includes(table))) continue;
    const columns = tables.get(table) ?? [];
    columns.push({ name: column, type, counts });
    tables.set(table, columns);
  }
  const { rows: references } = await client.query<{ table: string; needs: string }>(REFERENCES);
  return inOrder([...tables.keys()], references).map((name) => ({ name, columns: tables.get(name) ?? [] }));
}

export async function tablesWithRows(
  client: pg.Pool | pg.PoolClient,
  tables: readonly StoreTable[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query(`select 1 from ${quoted(name)} limit 1`);
    if (rows.length > 0) found.push(name);
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

/** Beside the first: their tables are in schemas of their own. */
export async function hasOrganisations(pool: pg.Pool): Promise<boolean> {
  const { rows: there } = await pool.query("select to_regclass('public.organisations') as name");
  if (there[0]?.name === null) return false;
  return (await pool.query("select 1 from organisations limit 1")).rows.length > 0;
}

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
