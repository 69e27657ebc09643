/**
 * What model calls and tool calls used, by the hour. A model call is first a row of its own, stored with its message; a
 * timer moves such rows into the hour's sums. Reading adds both, so nothing is counted twice and no request reads single calls of the past.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  doublePrecision,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

const count = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

const tokens = () => ({
  inputTokens: count("input_tokens"),
  outputTokens: count("output_tokens"),
  cachedInputTokens: count("cached_input_tokens"),
  reasoningTokens: count("reasoning_tokens"),
});

/** Model calls that are in no hour yet. A row's calls all have a price, or none has. */
export const usageFresh = pgTable("usage_fresh", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  at: at("at").notNull().default(sql`now()`),
  agentId: text("agent_id").notNull(),
  model: text("model").notNull(),
  userEmail: text("user_email").notNull(),
  /** Of one commit, which stores what several runs did. */
  calls: integer("calls").notNull().default(1),
  ...tokens(),
  /** Empty where no price is known. */
  costUsd: doublePrecision("cost_usd"),
});

export const usageHours = pgTable(
  "usage_hours",
  {
    hour: at("hour").notNull(),
    agentId: text("agent_id").notNull(),
    model: text("model").notNull(),
    userEmail: text("user_email").notNull(),
    calls: count("calls"),
    ...tokens(),
    costUsd: doublePrecision("cost_usd").notNull().default(0),
    /** Calls of models without a known price: the cost is without them. */
    unpricedCalls: count("unpriced_calls"),
  },
  (table) => [primaryKey({ columns: [table.hour, table.agentId, table.model, table.userEmail] })],
);

/** Tool calls by the hour and by how long they took: percentiles come from counts, not from single calls. */
export const toolHours = pgTable(
  "tool_hours",
  {
    hour: at("hour").notNull(),
    capabilityId: text("capability_id").notNull(),
    tool: text("tool").notNull(),
    agentId: text("agent_id").notNull(),
    userEmail: text("user_email").notNull(),
    /** Up to 2^(bucket/2) ms. */
    latencyBucket: smallint("latency_bucket").notNull(),
    calls: count("calls"),
    failures: count("failures"),
    totalMs: count("total_ms"),
    maxMs: integer("max_ms").notNull().default(0),
  },
  (table) => [
    primaryKey({
      name: "tool_hours_pk", // the default is longer than a name may be
      columns: [
        table.hour,
        table.capabilityId,
        table.tool,
        table.agentId,
        table.userEmail,
        table.latencyBucket,
      ],
    }),
  ],
);
