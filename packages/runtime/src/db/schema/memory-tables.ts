/**
 * Facts that outlive a session. `keys` is the index of both searches: the owner, the words and their meanings, all as
 * lexemes, so that one GIN index finds them on Postgres and on the embedded store.
 */
import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { at, bytes, tsvector } from "./columns.ts";

export const memories = pgTable(
  "memories",
  {
    /** Made from the owner and the first text: remembering it twice is one fact. */
    id: uuid("id").primaryKey(),
    /** user, agent or organisation. */
    scope: text("scope").notNull(),
    /** The user's e-mail address or the agent's id; "" for the organisation. */
    subject: text("subject").notNull(),
    text: text("text").notNull(),
    keys: tsvector("keys").notNull(),
    /** 256 numbers from -127 to 127; null when none of its words is known. */
    vector: bytes("vector"),
    labels: jsonb("labels").notNull().default([]),
    /** Who wrote it: a user in person, or the user that an agent worked for. */
    createdBy: text("created_by").notNull(),
    /** Where it comes from; null when a person wrote it. */
    agentId: text("agent_id"),
    sessionId: uuid("session_id"),
    runId: uuid("run_id"),
    callId: text("call_id"),
    /** The last person who changed it. */
    editedBy: text("edited_by"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    index("memories_owner").on(table.scope, table.subject, table.id),
    index("memories_newest").on(table.createdAt, table.id),
    // Without the list of pending entries, which every search would read: facts are written seldom.
    index("memories_keys").using("gin", table.keys).with({ fastupdate: false }),
  ],
);
