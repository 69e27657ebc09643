/**
 * Reads that may be slightly stale (exports, time series) go to a read replica if there is one; while it is down,
 * or cancels a read because it has to catch up, to the primary.
 */
import type pg from "pg";
import { isDatabaseAway } from "./database-away.ts";

/** Read-only queries. */
export type Reader = Pick<pg.Pool, "query">;

const TAKEN_BACK = "40001"; // "canceling statement due to conflict with recovery"

export function replicaReader(replica: Reader, primary: Reader): Reader {
  const query = async (text: string, values?: unknown[]) => {
    try {
      return await replica.query(text, values);
    } catch (error) {
      const { code } = error as { code?: string };
      if (!isDatabaseAway(error) && code !== TAKEN_BACK) throw error;
      return primary.query(text, values);
    }
  };
  return { query: query as pg.Pool["query"] };
}
