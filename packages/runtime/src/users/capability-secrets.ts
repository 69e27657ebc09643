/**
 * Secrets given to a capability by name: `capstan secrets set NAME --for <capability>`. Encrypted at rest, never returned
 * by the API, and put only into the environment of that capability's commands, during a call. A user's
 * own value overrides the server's.
 */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { capabilitySecrets } from "../db/schema/user-tables.ts";
import type { SecretBox } from "./secret-box.ts";

/** For all users of the server. */
const EVERYBODY = "";

export interface SecretPlace {
  readonly capability: string;
  readonly name: string;
  /** Undefined = for every user of the server. */
  readonly user?: string | undefined;
}

export interface SecretRecord extends SecretPlace {
  readonly updatedBy: string;
  readonly updatedAt: Date;
}

export interface CapabilitySecrets {
  put(place: SecretPlace, value: string, by: string): Promise<void>;
  remove(place: SecretPlace): Promise<boolean>;
  /** Names only. */
  list(): Promise<SecretRecord[]>;
  /** For a call only; never leaves the process. */
  valuesFor(capability: string, user: string | undefined): Promise<Record<string, string>>;
}

export function openCapabilitySecrets({ orm }: Pick<Database, "orm">, box: SecretBox): CapabilitySecrets {
  const table = capabilitySecrets;
  return {
    async put({ capability, name, user = EVERYBODY }, value, by) {
      const set = { secret: box.seal(value), updatedBy: by };
      await orm
        .insert(table)
        .values({ capability, name, user, ...set })
        .onConflictDoUpdate({
          target: [table.capability, table.name, table.user],
          set: { ...set, updatedAt: sql`now()` },
        });
    },
    async remove({ capability, name, user = EVERYBODY }) {
      const rows = await orm
        .delete(table)
        .where(and(eq(table.capability, capability), eq(table.name, name), eq(table.user, user)))
        .returning({ name: table.name });
      return rows.length > 0;
    },
    async list() {
      const rows = await orm.select().from(table).orderBy(table.capability, table.name, table.user);
      return rows.map(({ capability, name, user, updatedBy, updatedAt }) => {
        const record = { capability, name, updatedBy, updatedAt };
        return user === EVERYBODY ? record : { ...record, user };
      });
    },
    async valuesFor(capability, user) {
      const whose = user === undefined ? [EVERYBODY] : [EVERYBODY, user];
      const rows = await orm
        .select()
        .from(table)
        .where(and(eq(table.capability, capability), inArray(table.user, whose)))
        .orderBy(table.user); // the server's value first, so that the user's own replaces it
      const opened = rows.flatMap(({ name, secret }) => {
        const value = box.open(secret);
        return value === undefined ? [] : [[name, value] as const];
      });
      return Object.fromEntries(opened);
    },
  };
}
