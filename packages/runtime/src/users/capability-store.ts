/** A capability's own keyed data: per session inside one, otherwise per user. */
import type { CapabilityStore, JsonValue } from "@capstan/core";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { capabilityData } from "../db/schema/user-tables.ts";

const MOST_KEYS_LISTED = 1000;

/** `scope` is `session:<id>` or `user:<email>`. */
export function capabilityStore(
  { orm }: Pick<Database, "orm">,
  capabilityId: string,
  scope: string,
): CapabilityStore {
  const mine = and(eq(capabilityData.capabilityId, capabilityId), eq(capabilityData.scope, scope));
  return {
    async get(key) {
      const [row] = await orm
        .select({ value: capabilityData.value })
        .from(capabilityData)
        .where(and(mine, eq(capabilityData.key, key)));
      return row?.value as JsonValue | undefined;
    },
    async set(key, value) {
      await orm
        .insert(capabilityData)
        .values({ capabilityId, scope, key, value })
        .onConflictDoUpdate({
          target: [capabilityData.capabilityId, capabilityData.scope, capabilityData.key],
          set: { value, updatedAt: sql`now()` },
        });
    },
    async delete(key) {
      await orm.delete(capabilityData).where(and(mine, eq(capabilityData.key, key)));
    },
    async list(prefix = "") {
      const rows = await orm
        .select({ key: capabilityData.key, value: capabilityData.value })
        .from(capabilityData)
        .where(and(mine, sql`starts_with(${capabilityData.key}, ${prefix})`))
        .orderBy(asc(capabilityData.key))
        .limit(MOST_KEYS_LISTED);
      return rows.map(({ key, value }) => ({ key, value: value as JsonValue }));
    },
  };
}
