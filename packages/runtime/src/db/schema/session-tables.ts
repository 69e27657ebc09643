/** Sessions and their files. A file's bytes are in `content`; a directory has none. */
import type { ContinueIn, DataLabel, Follows } from "@capstan/core/internal";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at, bytes, tsvector } from "./columns.ts";

/** What brought a label into a conversation. */
export interface LabelOrigin {
  /** The tool, or another source, such as a trigger. */
  readonly tool: string;
  readonly capabilityId?: string | undefined;
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
  readonly at: string;
}
export type SessionLabels = Readonly<Partial<Record<DataLabel, LabelOrigin>>>;

export const sessions = pgTable(
  "sessions",
  {
    id: uuid("id").primaryKey(),
    agentId: uuid("agent_id"),
    owner: text("owner").notNull(),
    title: text("title").notNull().default(""),
    status: text("status").notNull().default("idle"),
    /** Shared state, as in AG-UI's snapshots and deltas. */
    state: jsonb("state").notNull().default({}),
    metadata: jsonb("metadata").notNull().default({}),
    forkedFrom: uuid("forked_from"),
    /** How many messages a fork shares with the session it was made from. */
    forkPosition: integer("fork_position"),
    /** The first session of a family of forks, in all of them. */
    conversationId: uuid("conversation_id"),
    /** The program that continues this session instead of the agent's; the messages sent since then. */
    continueIn: jsonb("continue_in").$type<ContinueIn>(),
    /** The revision it is pinned to, or the label it follows; null: the live revision. */
    follows: jsonb("follows").$type<Follows>(),
    /** A branch of a comparison: the same message, in several programs or models. */
    comparisonId: uuid("comparison_id"),
    /** Hash of the conversation so far: identifies clients that send no ids. */
    conversationKey: text("conversation_key"),
    /** Kept at the top of lists. */
    pinnedAt: at("pinned_at"),
    /** Hidden from lists; everything stays readable. */
    archivedAt: at("archived_at"),
    /** Tools that a person allowed for the rest of this session, `capability/tool#pin`: see `session-allowance.ts`. */
    allowedTools: jsonb("allowed_tools").$type<string[]>().notNull().default([]),
    /** Labels of what this conversation has read, each with its first source; labels are never removed. */
    labels: jsonb("labels").$type<SessionLabels>().notNull().default({}),
    /** Total bytes of all files, maintained by the file store, so that checking the limit is one comparison. */
    fileBytes: bigint("file_bytes", { mode: "number" }).notNull().default(0),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    index("idx_sessions_owner").on(table.owner, table.id),
    index("idx_sessions_agent").on(table.agentId, table.id),
    index("idx_sessions_created").on(table.createdAt, table.id),
    // By their hash: a client may choose an id that is too long for an index.
    index("idx_sessions_thread")
      .on(sql`md5(metadata->>'thread_id')`)
      .where(sql`metadata->>'thread_id' is not null`),
    index("idx_sessions_family").on(table.conversationId).where(sql`conversation_id is not null`),
    index("idx_sessions_comparison").on(table.comparisonId).where(sql`comparison_id is not null`),
    index("idx_sessions_conversation").on(table.conversationKey).where(sql`conversation_key is not null`),
  ],
);

/** The full-text index of a session. Updated by the search itself: sending a message costs nothing. */
export const sessionTexts = pgTable(
  "session_texts",
  {
    sessionId: uuid("session_id")
      .primaryKey()
      .references(() => sessions.id, { onDelete: "cascade" }),
    words: tsvector("words").notNull(),
    /** Number of indexed messages. */
    messages: integer("messages").notNull(),
  },
  (table) => [index("idx_session_texts_words").using("gin", table.words)],
);

export const sessionFiles = pgTable(
  "session_files",
  {
    sessionId: uuid("session_id")
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    path: text("path").notNull(),
    parent: text("parent").notNull(),
    isDirectory: boolean("is_directory").notNull().default(false),
    isReadonly: boolean("is_readonly").notNull().default(false),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull().default(0),
    /** Set when the content is text, so that a search skips binary files without reading them. */
    isText: boolean("is_text").notNull().default(true),
    content: bytes("content"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.path] }),
    index("idx_session_files_parent").on(table.sessionId, table.parent),
  ],
);

/**
 * A session's work in a real folder: a branch in a worktree, until a person applies or discards the change. No foreign key: a
 * deleted session leaves a worktree behind, which is removed by this row.
 */
export const folderWorks = pgTable(
  "folder_works",
  {
    id: uuid("id").primaryKey(),
    sessionId: uuid("session_id").notNull(),
    /** The top of the repository. */
    folder: text("folder").notNull(),
    branch: text("branch").notNull(),
    /** The folder's commit that the change is based on. */
    base: text("base").notNull(),
    /** Where this session's own work began: the base, or the state its branch began with. */
    start: text("start").notNull(),
    /** open, applying, applied, discarded. */
    status: text("status").notNull().default("open"),
    /** The commit that applying makes; set before the folder is touched. */
    commit: text("commit"),
    settledBy: text("settled_by"),
    settledAt: at("settled_at"),
    /** When the worktree and its branch were removed. */
    clearedAt: at("cleared_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    uniqueIndex("idx_folder_works_open").on(table.sessionId).where(sql`status in ('open', 'applying')`),
    index("idx_folder_works_session").on(table.sessionId, table.createdAt),
    index("idx_folder_works_left").on(table.id).where(sql`cleared_at is null`),
  ],
);
