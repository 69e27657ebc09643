/**
 * All rows of some tables as text, in batches of a few megabytes, from one snapshot: writers are not blocked.
 * The position and size of rows are read first and the rows then fetched by position, so that a table of large files needs
 * no more memory than one of small rows. A single larger row is a batch of its own.
 */
import type pg from "pg";
import type { TableRows } from "./backup-format.ts";
import { placeOf, quoted, type StoreColumn, type StoreTable } from "./store-tables.ts";

const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_ROWS = 2000;
const PLACES = 5000; // looked up at once; each has two numbers

/** Their text form is the same on every server. */
const READ_SETTINGS = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local bytea_output = 'hex';
  set local extra_float_digits = 3`;

export async function* readRows(pool: pg.Pool, tables: readonly StoreTable[]): AsyncGenerator<TableRows> {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query(READ_SETTINGS);
    for (const table of tables) yield* rowsOf(client, table);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

async function* rowsOf(client: pg.PoolClient, table: StoreTable): AsyncGenerator<TableRows> {
  const { name, organisation, columns } = table;
  const names = columns.map((column) => column.name);
  const read = `select ${names.map((column) => `${quoted(column)}::text`).join(", ")}
    from ${placeOf(table)} where ctid = any($1::tid[])`;
  const fetchRows = async (places: string[]): Promise<TableRows> => {
    const { rows } = await client.query<(string | null)[]>({
      text: read,
      values: [places],
      rowMode: "array",
    });
    return { table: name, ...(organisation !== undefined && { organisation }), columns: names, rows };
  };
  await client.query(
    `declare places no scroll cursor for select ctid::text as place, (${sizeOf(columns)})::float8 as bytes from ${placeOf(table)}`,
  );
  let batch: string[] = [];
  let bytes = 0;
  while (true) {
    const { rows } = await client.query<{ place: string; bytes: number }>(`fetch ${PLACES} from places`);
    if (rows.length === 0) break;
    for (const row of rows) {
      if (batch.length > 0 && (bytes + row.bytes > BATCH_BYTES || batch.length >= BATCH_ROWS)) {
        yield await fetchRows(batch);
        batch = [];
        bytes = 0;
      }
      batch.push(row.place);
      bytes += row.bytes;
    }
  }
  await client.query("close places");
  if (batch.length > 0) yield await fetchRows(batch);
}

/** Cheap for large values: Postgres knows the length of a stored text without unpacking it. */
function sizeOf(columns: readonly StoreColumn[]): string {
  const parts = columns.map(({ name, type }) => {
    if (type === "bytea") return `coalesce(octet_length(${quoted(name)}) * 2, 0)`; // two characters a byte
    if (type === "text" || type === "json") return `coalesce(octet_length(${quoted(name)}::text), 0)`;
    return type === "jsonb" ? `coalesce(pg_column_size(${quoted(name)}) * 4, 0)` : "40";
  });
  return parts.join(" + ");
}
