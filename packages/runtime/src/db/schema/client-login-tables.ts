/** Clients that logged in: what a person allowed a client to do as an agent, and the refresh tokens. */
import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { at } from "./columns.ts";

export const clientLogins = pgTable(
  "client_logins",
  {
    id: uuid("id").primaryKey(),
    clientId: text("client_id").notNull(),
    clientName: text("client_name").notNull(),
    /** Where the code was sent; the exchange must repeat it. */
    redirectUri: text("redirect_uri").notNull(),
    /** Its token requests are signed with a key of its own. */
    mustSign: boolean("must_sign").notNull().default(false),
    /** The address that the tokens are for (RFC 8707). */
    resource: text("resource").notNull(),
    scopes: jsonb("scopes").$type<string[]>().notNull(),
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    userEmail: text("user_email").notNull(),
    /** Only hashes are stored: of the code and of the client's PKCE verifier. */
    codeHash: text("code_hash").notNull().unique(),
    codeChallenge: text("code_challenge").notNull(),
    codeExpiresAt: at("code_expires_at").notNull(),
    codeUsedAt: at("code_used_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    lastUsedAt: at("last_used_at"),
    revokedAt: at("revoked_at"),
  },
  (table) => [index("idx_client_logins_user").on(table.userEmail, table.id)],
);

/** Each is used once. A second use means that it was copied, and ends the login. */
export const clientRefreshTokens = pgTable(
  "client_refresh_tokens",
  {
    hash: text("hash").primaryKey(),
    loginId: uuid("login_id")
      .notNull()
      .references(() => clientLogins.id, { onDelete: "cascade" }),
    createdAt: at("created_at").notNull().default(sql`now()`),
    expiresAt: at("expires_at").notNull(),
    usedAt: at("used_at"),
  },
  (table) => [index("idx_client_refresh_login").on(table.loginId)],
);
