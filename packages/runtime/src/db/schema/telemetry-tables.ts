/** The history of calls and how the gate decided them: one narrow row each, no payloads. Written in batches; the newest are also in memory. */
import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";

export const callHistory = pgTable(
  "call_history",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    ts: timestamp("ts", { withTimezone: true, mode: "date" }).notNull(),
    path: text("path").notNull(),
    capabilityId: text("capability_id").notNull(),
    tool: text("tool").notNull(),
    agentId: text("agent_id"),
    sessionId: text("session_id"),
    runId: text("run_id"),
    step: smallint("step").notNull(),
    latencyMs: integer("latency_ms").notNull(),
    failureClass: text("failure_class").notNull(),
    fallbackUsed: boolean("fallback_used").notNull(),
    status: smallint("status"),
    callId: text("call_id"),
    userEmail: text("user_email"),
    /** See `RecordedDecision`; null where only the tool's own policy decided, and allowed it. */
    decision: jsonb("decision"),
  },
  (table) => [
    index("idx_call_history_ts").using("brin", table.ts),
    index("idx_call_history_call").using("hash", table.callId),
  ],
);

/** Features seen in runs of an agent with a model, such as reasoning or parallel calls; written once each. */
export const observations = pgTable(
  "observations",
  {
    agentId: text("agent_id").notNull(),
    model: text("model").notNull(),
    feature: text("feature").notNull(),
    seenAt: timestamp("seen_at", { withTimezone: true, mode: "date" }).notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.model, table.feature] })],
);
