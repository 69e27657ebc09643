/** Writes rows from `readRows` into a store whose tables exist and are empty. The caller owns the transaction. */
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import type { TableRows } from "./backup-format.ts";
import { placeOf, quoted, type StoreTable } from "./store-tables.ts";

export class RowLoader {
  readonly counts: Record<string, number> = {};
  readonly #client: pg.PoolClient;
  readonly #tables: ReadonlyMap<string, StoreTable>;
  readonly #version: string;

  /** `version`: the version that wrote the data, for the next step. */
  constructor(client: pg.PoolClient, tables: readonly StoreTable[], version: string) {
    this.#client = client;
    this.#tables = new Map(tables.map((table) => [placeOf(table), table]));
    this.#version = version;
  }

  /** By column name: a column missing in the data gets its default. */
  async load({ table, organisation, columns, rows }: TableRows): Promise<Result<number>> {
    const place = placeOf({ name: table, ...(organisation !== undefined && { organisation }) });
    const known = this.#tables.get(place);
    if (!known) return fail("backup_schema_unknown", { what: `a table "${table}"`, version: this.#version });
    const types = columns.map((name) => known.columns.find((column) => column.name === name)?.type);
    const unknown = columns[types.indexOf(undefined)];
    if (unknown !== undefined) {
      const what = `a column "${unknown}" of "${table}"`;
      return fail("backup_schema_unknown", { what, version: this.#version });
    }
    const names = columns.map(quoted).join(", ");
    const values = types.map((type, index) => `v${index}::${type}`).join(", ");
    const lists = columns.map((_, index) => `$${index + 1}::text[]`).join(", ");
    const aliases = columns.map((_, index) => `v${index}`).join(", ");
    await this.#client.query(
      `insert into ${place} (${names}) select ${values} from unnest(${lists}) as v(${aliases})`,
      columns.map((_, index) => rows.map((row) => row[index] ?? null)),
    );
    this.counts[table] = (this.counts[table] ?? 0) + rows.length;
    return ok(rows.length);
  }

  /** Sequences continue from the highest number, and active runs are released: any process can take them over. */
  async finish(): Promise<void> {
    for (const [place, { columns }] of this.#tables) {
      for (const column of columns.filter(({ counts }) => counts)) {
        await this.#client.query(
          `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(column.name)}), 1), max(${quoted(column.name)}) is not null)
            from ${place}`,
          [place, column.name],
        );
      }
    }
    for (const [place, { name }] of this.#tables)
      if (name === "runs")
        await this.#client.query(`update ${place} set owner = '' where status = 'running'`);
  }
}
