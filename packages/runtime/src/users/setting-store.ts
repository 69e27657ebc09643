/** The operator's server-wide choices. */
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { serverSettings } from "../db/schema/user-tables.ts";

export interface SettingStore {
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown, by: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export function settingStore({ orm }: Pick<Database, "orm">): SettingStore {
  return {
    async get(name) {
      const [row] = await orm.select().from(serverSettings).where(eq(serverSettings.name, name));
      return row?.value;
    },
    async put(name, value, by) {
      const set = { value, updatedBy: by };
      await orm
        .insert(serverSettings)
        .values({ name, ...set })
        .onConflictDoUpdate({ target: serverSettings.name, set: { ...set, updatedAt: sql`now()` } });
    },
    async remove(name) {
      await orm.delete(serverSettings).where(eq(serverSettings.name, name));
    },
  };
}
