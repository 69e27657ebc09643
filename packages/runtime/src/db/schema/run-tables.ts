/**
 * Runs and their data: messages (the conversation, which is also the journal), events (the stream, one row per batch),
 * approvals, feedback, webhook deliveries, and live processes.
 *
 * `json`, not `jsonb`, where the bytes matter: jsonb reorders keys, and a prompt that is read back must be the prompt
 * that was sent, or the provider's cache misses. Messages and events have no foreign key: it costs a lock per row.
 */
import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { sessions } from "./session-tables.ts";

export const runs = pgTable(
  "runs",
  {
    id: uuid("id").primaryKey(),
    sessionId: uuid("session_id")
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    /** The agent it started with. */
    agentId: text("agent_id").notNull(),
    /** The agent's revision it started with; null before revisions were kept. */
    revision: integer("revision"),
    /** queued, running, waiting (for people, clients or a child run), done, failed, cancelled. */
    status: text("status").notNull(),
    /** Incremented by each claim; a writer with an older one is fenced off. */
    epoch: integer("epoch").notNull().default(1),
    /** The current segment of the run: a wait ends one, the answer starts the next. */
    segment: integer("segment").notNull().default(0),
    /** Which workflow may run it, `run:launch`; an older one finds nothing to do. */
    launch: integer("launch").notNull().default(0),
    /** Claims since the last stored message: a run that makes no progress is given up. */
    attempts: integer("attempts").notNull().default(0),
    /** The process that runs it; empty when it was released. */
    owner: text("owner").notNull().default(""),
    /** The id of the message that started it: repeating it starts no second run. */
    messageId: text("message_id").notNull(),
    /** The message while it is queued, and its options. */
    input: json("input").notNull(),
    /** What a waiting run waits for. */
    pending: json("pending"),
    outcome: json("outcome"),
    usage: json("usage"),
    /** The sequence number of this segment's RUN_STARTED. */
    startSeq: integer("start_seq").notNull().default(0),
    parentRunId: uuid("parent_run_id"),
    parentCallId: text("parent_call_id"),
    /** When its client disconnected, if that cancels the run; null while a client follows it. */
    leftAt: at("left_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    // Of eight bytes instead of the id: each turn writes this entry twice.
    uniqueIndex("runs_message").on(table.sessionId, sql`hashtextextended(message_id, 0)`),
    uniqueIndex("runs_one_active").on(table.sessionId).where(sql`status in ('running', 'waiting')`),
    index("runs_owner").on(table.owner).where(sql`status = 'running'`),
    index("runs_queued").on(table.sessionId, table.createdAt).where(sql`status = 'queued'`),
    // By hashes of four bytes, because a client may choose an id that is too long for an index; of ended runs only, because
    // each change of a run writes its entries again: see `runsWhere`.
    index("runs_client_hash")
      .on(sql`hashtext(input->>'clientRunId')`)
      .where(sql`input->>'clientRunId' is not null and status in ('done', 'failed', 'cancelled')`),
    index("runs_revision_hash")
      .on(sql`hashtext(agent_id)`, table.revision)
      .where(sql`revision is not null and status in ('done', 'failed', 'cancelled')`),
    index("runs_left").on(table.leftAt).where(sql`left_at is not null`),
    index("runs_parent").on(table.parentRunId).where(sql`parent_run_id is not null`),
  ],
);

export const messages = pgTable(
  "messages",
  {
    sessionId: uuid("session_id").notNull(),
    /** From 0 without gaps. */
    position: integer("position").notNull(),
    id: text("id").notNull(),
    runId: uuid("run_id").notNull(),
    role: text("role").notNull(),
    content: json("content").notNull(),
    usage: json("usage"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    /** Kept word for word when the conversation is summarised. */
    pinnedAt: at("pinned_at"),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.position] }),
    index("messages_pinned").on(table.sessionId, table.position).where(sql`pinned_at is not null`),
  ],
);

/** System prompts with their tools as sent, each stored once; messages reference theirs by hash. */
export const prompts = pgTable("prompts", {
  id: text("id").primaryKey(),
  system: text("system").notNull(),
  tools: json("tools").notNull(),
  /** Of the capabilities it was composed of, by id; null before they were kept. */
  versions: json("versions").$type<Readonly<Record<string, string>>>(),
  createdAt: at("created_at").notNull().default(sql`now()`),
});

export const events = pgTable(
  "events",
  {
    sessionId: uuid("session_id").notNull(),
    lastSeq: integer("last_seq").notNull(),
    firstSeq: integer("first_seq").notNull(),
    runId: uuid("run_id").notNull(),
    /** The events from first to last, in order. */
    payload: json("payload").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.lastSeq] })],
);

export const approvals = pgTable(
  "approvals",
  {
    id: uuid("id").primaryKey(),
    /** Absent for a direct REST call. */
    runId: uuid("run_id").references(() => runs.id, { onDelete: "cascade" }),
    sessionId: uuid("session_id"),
    agentId: text("agent_id").notNull(),
    /** See `ApprovalKind`. */
    kind: text("kind").notNull().default("tool"),
    /** The user the tool would run for. */
    userEmail: text("user_email").notNull(),
    capabilityId: text("capability_id").notNull(),
    tool: text("tool").notNull(),
    callId: text("call_id").notNull(),
    arguments: json("arguments").notNull(),
    /** Hash of what was asked for: see `approvalPin`. */
    pin: text("pin"),
    reason: text("reason").notNull(),
    /** Whether an approval may apply to the rest of the session. */
    allowable: boolean("allowable").notNull().default(false),
    /** pending, approved, denied, expired, cancelled. */
    status: text("status").notNull().default("pending"),
    expiry: json("expiry").notNull(),
    expiresAt: at("expires_at"),
    /** Who is asked: initially the user, after escalation another person. */
    assignee: text("assignee").notNull(),
    /** A rule named the assignee: nobody else but an admin may say yes. */
    assigneeOnly: boolean("assignee_only").notNull().default(false),
    decidedBy: text("decided_by"),
    decidedAt: at("decided_at"),
    words: text("words"),
    editedArguments: json("edited_arguments"),
    /** The capability's config, for a call without an agent. */
    config: json("config"),
    /** The result of an approved call outside a run. */
    result: json("result"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    index("approvals_created").on(table.createdAt, table.id),
    index("approvals_pending").on(table.expiresAt).where(sql`status = 'pending'`),
    index("approvals_run").on(table.runId),
    index("approvals_unexecuted")
      .on(table.decidedAt)
      .where(sql`status = 'approved' and run_id is null and result is null`),
  ],
);

export const feedback = pgTable(
  "feedback",
  {
    sessionId: uuid("session_id")
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    messageId: text("message_id").notNull(),
    userEmail: text("user_email").notNull(),
    value: text("value").notNull(),
    words: text("words").notNull().default(""),
    /** Set once the model was told in a later turn. */
    told: boolean("told").notNull().default(false),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.messageId, table.userEmail] })],
);

export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    /** One delivery per run. */
    runId: uuid("run_id")
      .primaryKey()
      .references(() => runs.id, { onDelete: "cascade" }),
    url: text("url").notNull(),
    payload: json("payload").notNull(),
    /** due, delivered, given_up. */
    status: text("status").notNull().default("due"),
    attempts: integer("attempts").notNull().default(0),
    nextAt: at("next_at").notNull().default(sql`now()`),
    lastError: text("last_error"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [index("webhook_deliveries_due").on(table.nextAt).where(sql`status = 'due'`)],
);

/** Server processes, each with its last heartbeat. */
export const executors = pgTable("executors", {
  id: text("id").primaryKey(),
  seen: at("seen").notNull(),
  details: jsonb("details").notNull().default({}),
});

/** Maps our session to the session of a coding agent's program, and how much of it the program knows. */
export const harnessSessions = pgTable("harness_sessions", {
  sessionId: uuid("session_id")
    .primaryKey()
    .references(() => sessions.id, { onDelete: "cascade" }),
  harness: text("harness").notNull(),
  cliSession: text("cli_session"),
  runId: uuid("run_id").notNull(),
  epoch: integer("epoch").notNull(),
  /** A program is running, as far as we know. */
  active: boolean("active").notNull(),
  /** The last message it received or wrote. */
  knows: text("knows").notNull(),
});
