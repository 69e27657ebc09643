/**
 * Tokens with which a directory calls /scim, and nothing else. They belong to no user, because their creator may
 * leave.
 */
import { createHash } from "node:crypto";
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { directoryTokens } from "../db/schema/directory-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { newBearerText } from "../users/bearer-text.ts";

export interface DirectoryToken {
  readonly id: string;
  readonly name: string;
  /** The first characters, to tell them apart. */
  readonly prefix: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface DirectoryTokens {
  create(name: string, by: string): Promise<{ token: string; record: DirectoryToken }>;
  find(token: string): Promise<DirectoryToken | undefined>;
  /** In force, newest first. */
  list(): Promise<DirectoryToken[]>;
  revoke(id: string): Promise<DirectoryToken | undefined>;
}

const PREFIX = "scim_";
const SHOWN_CHARS = 12;
const MOST_TOKENS = 1000; // every read is bounded
const USED_AGAIN_SECONDS = 60; // not a write per request

export function directoryTokenStore(database: Pick<Database, "orm" | "organisation">): DirectoryTokens {
  const { orm } = database;
  const { id, hash, lastUsedAt, revokedAt } = directoryTokens;
  return {
    async create(name, createdBy) {
      const token = newBearerText(PREFIX, database);
      const values = {
        id: uuidv7(),
        name,
        createdBy,
        hash: hashOf(token),
        prefix: token.slice(0, SHOWN_CHARS),
      };
      const [row] = await orm.insert(directoryTokens).values(values).returning();
      if (!row) throw new Error("the token just written is not there");
      return { token, record: recordOf(row) };
    },
    async find(token) {
      if (!token.startsWith(PREFIX)) return undefined;
      const [row] = await orm
        .select()
        .from(directoryTokens)
        .where(and(eq(hash, hashOf(token)), isNull(revokedAt)));
      if (!row) return undefined;
      if (Date.now() - (row.lastUsedAt?.getTime() ?? 0) > USED_AGAIN_SECONDS * 1000)
        await orm.update(directoryTokens).set({ lastUsedAt: sql`now()` }).where(eq(id, row.id));
      return recordOf(row);
    },
    async list() {
      const rows = orm.select().from(directoryTokens).where(isNull(revokedAt));
      return (await rows.orderBy(desc(id)).limit(MOST_TOKENS)).map(recordOf);
    },
    async revoke(which) {
      if (!isUuid(which)) return undefined;
      const [row] = await orm
        .update(directoryTokens)
        .set({ revokedAt: sql`now()`, lastUsedAt: sql`${lastUsedAt}` })
        .where(and(eq(id, which), isNull(revokedAt)))
        .returning();
      return row && recordOf(row);
    },
  };
}

/** Tokens are 256 random bits, so a plain hash cannot be brute-forced. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

const recordOf = ({ hash: _, revokedAt: __, ...row }: typeof directoryTokens.$inferSelect): DirectoryToken =>
  row;
