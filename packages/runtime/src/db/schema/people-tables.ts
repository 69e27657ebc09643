/** People of an OpenID provider: their identity there, where they are signed in, and the roles their claims give. */
import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** A person is the pair of issuer and subject; an address can change hands. */
export const identities = pgTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    /** Our user; one person each. */
    userEmail: text("user_email").notNull().unique(),
    name: text("name").notNull(),
    /** What the provider said at the last sign-in; roles are computed from it. */
    claims: jsonb("claims").$type<Record<string, string[]>>().notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    lastLoginAt: at("last_login_at").notNull().default(sql`now()`),
    /** The provider's tokens of the newest login, encrypted, to ask the provider again. */
    sealedTokens: text("sealed_tokens"),
    /** When the provider last confirmed who they are; null: before this was recorded. */
    checkedAt: at("checked_at"),
    /** One process asks at a time. */
    checkClaimedAt: at("check_claimed_at"),
    /** The provider reported that they left; the next sign-in clears it. */
    endedAt: at("ended_at"),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] })],
);

/** Where a person is signed in: a browser's cookie, or a command line's token. Only hashes are stored. */
export const logins = pgTable(
  "logins",
  {
    id: uuid("id").primaryKey(),
    kind: text("kind").notNull(),
    hash: text("hash").notNull().unique(),
    /** Before the last rotation; valid until the browser shows that it has the new one. */
    previousHash: text("previous_hash"),
    rotatedAt: at("rotated_at").notNull().default(sql`now()`),
    /** When the browser first sent the cookie of the last rotation. */
    confirmedAt: at("confirmed_at"),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    /** The provider's own session, which back-channel logout names. */
    sid: text("sid"),
    userEmail: text("user_email").notNull(),
    /** The name that the browser or program gives itself. */
    device: text("device").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    lastUsedAt: at("last_used_at").notNull().default(sql`now()`),
    expiresAt: at("expires_at").notNull(),
    revokedAt: at("revoked_at"),
  },
  (table) => [
    index("idx_logins_user").on(table.userEmail, table.id),
    index("idx_logins_previous").on(table.previousHash),
    index("idx_logins_subject").on(table.issuer, table.subject),
  ],
);

/** People with this value in this claim get this right and these scopes. */
export const roleRules = pgTable("role_rules", {
  id: uuid("id").primaryKey(),
  claim: text("claim").notNull(),
  value: text("value").notNull(),
  /** Null: scopes only. */
  role: text("role"),
  scopes: jsonb("scopes").$type<string[]>().notNull(),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
});
