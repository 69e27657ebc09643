/**
 * Secrets given to a capability by name: `capstan secrets set NAME --for <capability>`. Encrypted at rest, never returned
 * by the API, and put only into the environment of that capability's commands, during a call. Those for every user are
 * left out of the calls of a user who set values of their own: one of these could be the address that the others are
 * sent to. Only what an admin set for the user is combined with them, and takes precedence.
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

export interface SecretStoreParts {
  readonly database: Pick<Database, "orm">;
  readonly box: SecretBox;
  readonly isAdmin: (email: string) => Promise<boolean>;
}

export function openCapabilitySecrets({
  database: { orm },
  box,
  isAdmin,
}: SecretStoreParts): CapabilitySecrets {
  const areAdmins = async (setters: ReadonlySet<string>): Promise<boolean> => {
    for (const email of setters) if (!(await isAdmin(email))) return false;
    return true;
  };
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
      const own = rows.filter((row) => row.user !== EVERYBODY);
      const mayCombine =
        own.length === rows.length || (await areAdmins(new Set(own.map(({ updatedBy }) => updatedBy))));
      const opened = (mayCombine ? rows : own).flatMap(({ name, secret }) => {
        const value = box.open(secret);
        return value === undefined ? [] : [[name, value] as const];
      });
      return Object.fromEntries(opened);
    },
  };
}
