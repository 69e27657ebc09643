/**
 * The events of a run, the same for every coding agent whatever its CLI prints.
 *
 * A run has exactly one `run-started`, first, and one `run-ended`, last; every tool that starts also ends. `run-ledger.ts`
 * makes that true for any adapter. `usage` holds the run's totals so far, not increments: the latest one is valid.
 */
import { z } from "zod";
import { RUN_ERROR_CODES } from "./run-error.ts";

/** `limit`: a turn, cost, time or token limit was reached. `aborted`: somebody stopped it. A killed program has `failed`. */
export const RUN_OUTCOMES = ["done", "failed", "aborted", "limit"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export const COST_SOURCES = ["reported", "computed"] as const;
export type CostSource = (typeof COST_SOURCES)[number];

export const RUN_LIMITS = ["turns", "cost", "time", "tokens", "output"] as const;
export type RunLimit = (typeof RUN_LIMITS)[number];

const text = z.string();
const count = z.number().min(0);

export const runStartedEvent = z.object({
  type: z.literal("run-started"),
  agent: text.optional(),
  /** The agent's own session id, used to resume or fork the session. */
  sessionId: text.optional(),
  model: text.optional(),
  version: text.optional(),
  cwd: text.optional(),
});

export const usageEvent = z.object({
  type: z.literal("usage"),
  /** Input that was neither read from a cache nor written to one. */
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  /** Part of the output. */
  thinkingTokens: count.optional(),
  /** Of this run only, even in a resumed session. */
  costUsd: count.optional(),
  /** The source of the cost: the program, or the price list for these tokens. */
  costSource: z.enum(COST_SOURCES).optional(),
});

export const runEndedEvent = z.object({
  type: z.literal("run-ended"),
  outcome: z.enum(RUN_OUTCOMES),
  /** Why it failed: the same codes for every agent. */
  code: z.enum(RUN_ERROR_CODES).optional(),
  /** What to do about it, with `code`. */
  nextStep: text.optional(),
  /** Why it did not end as `done`, human-readable. */
  message: text.optional(),
  /** Which limit, when the outcome is `limit`. */
  limit: z.enum(RUN_LIMITS).optional(),
  /** The HTTP status of the model's provider, when that is why it failed. */
  status: z.int().optional(),
  sessionId: text.optional(),
  turns: count.optional(),
  usage: usageEvent.omit({ type: true }).optional(),
});

/** The code of a warning after a partial answer: the complete answer follows. */
export const ANSWER_REPEATED = "answer_repeated";

export const codingAgentEventSchema = z.discriminatedUnion("type", [
  runStartedEvent,
  z.object({ type: z.literal("text-delta"), text }),
  z.object({ type: z.literal("thinking-delta"), text }),
  z.object({
    type: z.literal("tool-started"),
    id: text,
    tool: text,
    input: z.unknown(),
    /** For a call of a sub-agent: the id of the tool that started it. */
    parentId: text.optional(),
    /** True when the call bypassed our gate: a CLI's own tool. */
    ungated: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("tool-ended"),
    id: text,
    tool: text.optional(),
    output: text.optional(),
    isError: z.boolean().optional(),
    /** It never ran: a person, a policy or the CLI refused it. */
    denied: z.boolean().optional(),
    /** The run ended before the tool did. */
    interrupted: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("approval-requested"),
    id: text,
    /** The id of the waiting tool call, if the agent provides it. */
    toolId: text.optional(),
    tool: text,
    input: z.unknown(),
    reason: text.optional(),
  }),
  usageEvent,
  z.object({
    type: z.literal("retry"),
    message: text,
    /** Why: `coding_agent_rate_limited`, `coding_agent_provider_down`, ... */
    code: z.enum(RUN_ERROR_CODES).optional(),
    attempt: count.optional(),
    maxAttempts: count.optional(),
    delayMs: count.optional(),
    status: z.int().optional(),
  }),
  z.object({ type: z.literal("warning"), message: text, code: text.optional() }),
  /** `stream: "auto"` asked for more than the agent streams; the named kinds arrive unstreamed. */
  z.object({
    type: z.literal("stream_fallback"),
    buffered: z.array(z.enum(["text", "tool-call", "thinking"])),
  }),
  runEndedEvent,
]);

export type CodingAgentEvent = z.output<typeof codingAgentEventSchema>;
export type RunStarted = z.output<typeof runStartedEvent>;
export type RunEnded = z.output<typeof runEndedEvent>;
export type CliUsage = z.output<typeof usageEvent>;
