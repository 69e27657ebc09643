/** The rows of leased work as a worker sees them. */
import type pg from "pg";
import { inTransaction } from "../db/transaction.ts";
import { type LeasedStatements, LOCK_CLAIMS } from "./leased-statements.ts";

/** An item that this process works on. */
export interface LeasedItem {
  readonly id: string;
  readonly parentId: string;
  readonly epoch: number;
  /** The rest of the parent's budget. */
  readonly leftUsd: number | null;
}

export interface LeasedQueue<Item extends LeasedItem, End> {
  claim(most: number): Promise<Item[]>;
  /** False when another process has the item, or it was cancelled. The next claim ends its parent if it was the last. */
  end(item: Item, end: End): Promise<boolean>;
  /** Returns an item to the queue. */
  release(item: Item): Promise<void>;
  /** Extends the leases; returns the ids that are still ours. */
  renew(items: readonly Item[]): Promise<ReadonlySet<string>>;
  /** At the start of a store's only process: whatever was running is queued again. */
  requeueAll(): Promise<void>;
}

export interface LeasedRows<Item extends LeasedItem, End> {
  readonly statements: LeasedStatements;
  /** The statement that ends an item, and its values after the item's id and epoch. */
  readonly endStatement: string;
  readonly endValues: (end: End) => readonly unknown[];
  readonly readItem: (row: Item) => Item;
  /** Before each claim, in its transaction. */
  readonly prepare?: (client: pg.PoolClient) => Promise<void>;
}

export const leasedQueue = <Item extends LeasedItem, End>(
  pool: pg.Pool,
  { statements, endStatement, endValues, readItem, prepare }: LeasedRows<Item, End>,
): LeasedQueue<Item, End> => ({
  claim: (most) =>
    inTransaction(pool, async (client) => {
      await client.query(LOCK_CLAIMS);
      await prepare?.(client);
      const { rows } = await client.query<Item>(statements.claim, [most]);
      return rows.map(readItem);
    }),
  async end(item, end) {
    const { rowCount } = await pool.query(endStatement, [item.id, item.epoch, ...endValues(end)]);
    return rowCount === 1;
  },
  async release({ id, epoch }) {
    await pool.query(statements.release, [id, epoch]);
  },
  async renew(items) {
    const ids = items.map(({ id }) => id);
    const { rows } = await pool.query<{ id: string; epoch: number }>(statements.renew, [ids]);
    const held = new Map(rows.map(({ id, epoch }) => [id, epoch]));
    return new Set(items.filter(({ id, epoch }) => held.get(id) === epoch).map(({ id }) => id));
  },
  async requeueAll() {
    await pool.query(statements.requeueAll);
  },
});
