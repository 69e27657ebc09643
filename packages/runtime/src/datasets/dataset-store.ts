/** Datasets and their versions. Every write of items creates one new version; unchanged items create none. */
import { fail, ok, type Result } from "@capstan/core";
import { type DatasetItem, isSameJson, type Scrubbed } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../db/uuid.ts";
import * as statements from "./dataset-statements.ts";

export const MOST_ITEMS = 10_000; // of one version

export interface DatasetRecord {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  /** Of the newest version. */
  readonly items: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where an item comes from. */
export interface ItemSource {
  readonly kind: "run" | "file" | "hand";
  readonly by: string;
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly revision?: number | undefined;
}

export interface NewItem {
  readonly item: DatasetItem;
  readonly scrubbed: readonly Scrubbed[];
  readonly source: ItemSource;
}

export interface ItemRecord extends NewItem {
  readonly rowId: string;
  readonly itemId: string;
  readonly position: number;
  readonly fromVersion: number;
  readonly createdAt: Date;
}

export interface DatasetVersion {
  readonly number: number;
  readonly by: string;
  readonly at: Date;
  readonly why: string;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly items: number;
}

export interface ItemWrite {
  readonly put?: readonly NewItem[];
  readonly remove?: readonly string[];
  readonly by: string;
  readonly why: string;
}

export interface Written {
  readonly version: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Already there, word for word. */
  readonly unchanged: number;
}

interface ItemPage {
  readonly version: number;
  readonly label?: string | undefined;
  /** In the id, the input or the note. */
  readonly text?: string | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface DatasetStore {
  create(dataset: { owner: string; name: string; description: string }): Promise<Result<DatasetRecord>>;
  get(id: string): Promise<Result<DatasetRecord>>;
  /** Newest first. */
  list(page: {
    owner?: string | undefined;
    before?: string | undefined;
    name?: string | undefined;
    /** In the name or the description. */
    text?: string | undefined;
    limit: number;
  }): Promise<{ items: DatasetRecord[]; nextCursor?: string }>;
  change(
    id: string,
    change: { name?: string | undefined; description?: string | undefined },
  ): Promise<Result<DatasetRecord>>;
  remove(id: string): Promise<void>;
  items(id: string, page: ItemPage): Promise<{ items: ItemRecord[]; nextAfter?: number }>;
  item(id: string, version: number, itemId: string): Promise<Result<ItemRecord>>;
  write(id: string, write: ItemWrite): Promise<Result<Written>>;
  /** Deletes an item from every version. */
  purge(id: string, itemId: string, by: string): Promise<Result<Written>>;
  versions(
    id: string,
    page: { before?: number | undefined; text?: string | undefined; limit: number },
  ): Promise<{ items: DatasetVersion[]; nextBefore?: number }>;
}

export function datasetStore(pool: pg.Pool): DatasetStore {
  const read = async (id: string): Promise<Result<DatasetRecord>> => {
    const { rows } = isUuid(id) ? await pool.query<DatasetRecord>(statements.GET, [id]) : { rows: [] };
    return rows[0] ? ok(rows[0]) : fail("not_found", { what: "dataset", id });
  };
  return {
    get: read,
    async create({ owner, name, description }) {
      const id = uuidv7();
      const { rowCount } = await pool.query(statements.CREATE, [id, owner, name, description]);
      return rowCount === 0 ? fail("dataset_name_taken", { name }) : read(id);
    },
    async list({ owner, before, name, text, limit }) {
      const { rows } = await pool.query<DatasetRecord>(statements.LIST, [
        owner ?? null,
        before ?? null,
        name ?? null,
        text ?? null,
        limit + 1,
      ]);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { nextCursor: last.id }) };
    },
    async change(id, { name, description }) {
      const { rowCount } = await pool.query(statements.CHANGE, [id, name ?? null, description ?? null]);
      return rowCount === 0 ? fail("dataset_name_taken", { name: name ?? "" }) : read(id);
    },
    async remove(id) {
      await pool.query(statements.REMOVE, [id]);
    },
    async items(id, { version, label, text, after = -1, limit }) {
      const { rows } = await pool.query<ItemRecord>(statements.ITEMS, [
        id,
        version,
        after,
        label ?? null,
        text ?? null,
        limit + 1,
      ]);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { nextAfter: last.position }) };
    },
    async item(id, version, itemId) {
      const { rows } = await pool.query<ItemRecord>(statements.ITEM, [id, version, itemId]);
      return rows[0] ? ok(rows[0]) : fail("not_found", { what: "item", id: itemId });
    },
    write: (id, write) =>
      inTransaction(pool, (client) => writeVersion(client, id, write)).catch((error) => {
        if (error instanceof TooManyItems)
          return fail("limit_reached", { what: "items in a dataset", limit: MOST_ITEMS });
        throw error;
      }),
    purge: (id, itemId, by) =>
      inTransaction(pool, async (client) => {
        const removed = await writeVersion(client, id, { remove: [itemId], by, why: `deleted ${itemId}` });
        const { rowCount } = await client.query(statements.PURGE, [id, itemId]);
        return rowCount ? removed : fail("not_found", { what: "item", id: itemId });
      }),
    async versions(id, { before, text, limit }) {
      const values = [id, before ?? null, text ?? null, limit + 1];
      const { rows } = await pool.query<DatasetVersion>(statements.VERSIONS, values);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { nextBefore: last.number }) };
    },
  };
}

interface Newest {
  readonly itemId: string;
  readonly position: number;
  readonly item: string;
}

async function writeVersion(
  client: Pick<pg.PoolClient, "query">,
  id: string,
  { put = [], remove = [], by, why }: ItemWrite,
): Promise<Result<Written>> {
  const { rows: locked } = await client.query<{ version: number }>(statements.LOCK, [id]);
  const [dataset] = locked;
  if (!dataset) return fail("not_found", { what: "dataset", id });
  const items = [...new Map(put.map((each) => [each.item.id, each])).values()];
  const ids = [...items.map(({ item }) => item.id), ...remove];
  const { rows } = await client.query<Newest>(statements.NEWEST, [id, ids]);
  const known = new Map(rows.map((row) => [row.itemId, row]));
  const changed = items.filter(({ item }) => {
    const had = known.get(item.id);
    return had && !isSameJson(JSON.parse(had.item), JSON.parse(JSON.stringify(item)));
  });
  const added = items.filter(({ item }) => !known.has(item.id));
  const removed = remove.filter((itemId) => known.has(itemId));
  const counts = { added: added.length, changed: changed.length, removed: removed.length };
  const unchanged = items.length - added.length - changed.length;
  if (added.length + changed.length + removed.length === 0)
    return ok({ version: dataset.version, ...counts, unchanged });
  const version = dataset.version + 1;
  await client.query(statements.END_ITEMS, [
    id,
    version,
    [...changed.map(({ item }) => item.id), ...removed],
  ]);
  const written = [...changed, ...added].map(({ item, scrubbed, source }, place) => ({
    row_id: uuidv7(),
    item_id: item.id,
    position: known.get(item.id)?.position ?? null,
    place: place + 1,
    item,
    scrubbed,
    source,
  }));
  await client.query(statements.ADD_ITEMS, [id, version, JSON.stringify(written)]);
  const { rows: counted } = await client.query<{ n: number }>(statements.COUNT, [id]);
  const total = counted[0]?.n ?? 0;
  if (total > MOST_ITEMS) throw new TooManyItems();
  await client.query(statements.SET_VERSION, [id, version]);
  const { added: more, changed: other, removed: fewer } = counts;
  await client.query(statements.ADD_VERSION, [id, version, by, why, more, other, fewer, total]);
  return ok({ version, ...counts, unchanged });
}

/** Rolls the transaction back. */
class TooManyItems extends Error {}
