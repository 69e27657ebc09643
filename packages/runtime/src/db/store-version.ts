/**
 * Whether this program may use a store. Migrations only add ("expand"), so several versions can share a store;
 * one that removes something ("contract") records in `drizzle.store_needs` the oldest program that can use the store.
 */
import { fail, type Refused } from "@capstan/core";
import type pg from "pg";
import { appliedMigrations, knownMigrations } from "./migrate.ts";

export async function refusedStore(
  { pool, location }: { pool: pg.Pool; location: string },
  version: string | undefined,
): Promise<Refused | undefined> {
  const applied = await appliedMigrations(pool);
  if (applied.length === 0) return undefined;
  const needs = await neededVersion(pool);
  if (version !== undefined && needs !== undefined && isOlder(version, needs))
    return fail("store_newer", { location, needs, version });
  const known = knownMigrations();
  const shared = Math.min(known.length, applied.length);
  const isOurs = known.slice(0, shared).every((hash, at) => hash === applied[at]);
  return isOurs ? undefined : fail("store_older", { location });
}

async function neededVersion(pool: pg.Pool): Promise<string | undefined> {
  const { rows: found } = await pool.query("select to_regclass('drizzle.store_needs') as name");
  if (found[0]?.name === null) return undefined;
  const { rows } = await pool.query<{ version: string }>("select version from drizzle.store_needs");
  return rows[0]?.version;
}

/** `0.10.0` is newer than `0.9.1`; a pre-release counts as its release. */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [version, than].map((text) => text.split(/[.-]/, 3).map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (own?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
