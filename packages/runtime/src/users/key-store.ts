/** API keys: shown once, stored as a hash, limited by right, revocable. Looked up by hash, so timing reveals nothing. */
import { createHash } from "node:crypto";
import type { Right } from "@capstan/core/internal";
import { and, desc, eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { apiKeys } from "../db/schema/user-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { newBearerText } from "./bearer-text.ts";

export type KeyRight = Right;

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** The first characters, to tell keys apart. */
  readonly prefix: string;
  readonly rights: KeyRight[];
  readonly perMinute: number;
  readonly revoked: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface KeyStore {
  create(input: {
    name: string;
    owner: string;
    rights: readonly KeyRight[];
    perMinute: number;
  }): Promise<{ key: string; record: KeyRecord }>;
  /** The key's record, if it exists and is not revoked. */
  find(key: string): Promise<KeyRecord | undefined>;
  list(): Promise<KeyRecord[]>;
  revoke(id: string): Promise<boolean>;
  /** Whether this person has an unrevoked admin key. */
  holdsAdmin(owner: string): Promise<boolean>;
}

const EVERY_RIGHT: Right = "admin";
const PREFIX = "cap_";
const SHOWN_CHARS = 10;
const MOST_KEYS = 10_000; // every read is bounded

export function keyStore(database: Pick<Database, "orm" | "organisation" | "policyChanges">): KeyStore {
  const { orm, policyChanges } = database;
  return {
    async create(input) {
      const key = newBearerText(PREFIX, database);
      const id = uuidv7();
      const [row] = await orm
        .insert(apiKeys)
        .values({
          id,
          ...input,
          rights: [...input.rights],
          hash: hashOf(key),
          prefix: key.slice(0, SHOWN_CHARS),
        })
        .returning();
      if (!row) throw new Error("the key just written is not there");
      await policyChanges.announce(); // a first admin key makes its owner an admin
      return { key, record: keyRecord(row) };
    },
    async find(key) {
      if (!key.startsWith(PREFIX)) return undefined;
      const [row] = await orm
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.hash, hashOf(key)), eq(apiKeys.revoked, false)));
      return row && keyRecord(row);
    },
    async list() {
      return (await orm.select().from(apiKeys).orderBy(desc(apiKeys.id)).limit(MOST_KEYS)).map(keyRecord);
    },
    async revoke(id) {
      if (!isUuid(id)) return false;
      const rows = await orm
        .update(apiKeys)
        .set({ revoked: true, lastUsedAt: sql`last_used_at` })
        .where(and(eq(apiKeys.id, id), eq(apiKeys.revoked, false)))
        .returning({ id: apiKeys.id });
      await policyChanges.announce();
      return rows.length > 0;
    },
    async holdsAdmin(owner) {
      const rows = await orm
        .select({ id: apiKeys.id })
        .from(apiKeys)
        .where(
          and(
            eq(apiKeys.owner, owner),
            eq(apiKeys.revoked, false),
            sql`${apiKeys.rights} @> ${JSON.stringify([EVERY_RIGHT])}::jsonb`,
          ),
        )
        .limit(1);
      return rows.length > 0;
    },
  };
}

/** Keys are 256 random bits, so a plain hash cannot be brute-forced; a slow one would only slow down every request. */
const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

function keyRecord({ hash: _, rights, ...row }: typeof apiKeys.$inferSelect): KeyRecord {
  return { ...row, rights: rights as KeyRight[] };
}
