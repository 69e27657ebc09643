/** Runs and what they cost; approvals. */
import { z } from "zod";
import { ApprovalExpiryWire } from "./agents.ts";
import { countedPageOf, Json, JsonObject, PageQuery, pageOf, queryText, WireFailure } from "./page.ts";

export const RunUsageWire = z.object({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cached_tokens: z.number().optional(),
  reasoning_tokens: z.number().optional(),
  cost_usd: z.number().nullable().optional(),
  steps: z.number().optional(),
  active_ms: z.number().optional(),
});
export type RunUsageWire = z.infer<typeof RunUsageWire>;

/** Usage of one model call. */
export const MessageUsage = z.object({
  provider: z.string().optional(),
  model: z.string().optional(),
  ...RunUsageWire.pick({
    input_tokens: true,
    output_tokens: true,
    cached_tokens: true,
    reasoning_tokens: true,
    cost_usd: true,
  }).shape,
});
export type MessageUsage = z.infer<typeof MessageUsage>;

export const TraceSpan = z
  .object({
    id: z.string().meta({ description: "Id of the message, call or approval." }),
    kind: z.enum(["model", "gate", "tool"]),
    name: z.string(),
    started_at: z.string(),
    duration_ms: z.number(),
    state: z.enum(["done", "failed", "waiting", "cancelled"]),
    capability_id: z.string().optional(),
    input: Json.optional(),
    output: Json.optional(),
    error: WireFailure.optional(),
    usage: MessageUsage.nullish(),
    first_token_ms: z.number().optional(),
    attempts: z.number().optional(),
    retries: z.array(z.string()).optional().meta({ description: "Why it was retried." }),
    prompt_id: z.string().optional().meta({ description: "For GET /v1/runs/{id}/prompts/{prompt_id}." }),
    sent_messages: z
      .number()
      .optional()
      .meta({ description: "Number of messages that fitted into the prompt." }),
    response: z
      .object({ id: z.string().optional(), model: z.string().optional(), finish_reason: z.string() })
      .optional()
      .meta({ description: "What the provider says of its answer." }),
    decision: z.string().optional(),
    decided_by: z.string().nullish(),
    reason: z.string().optional(),
    words: z.string().nullish(),
    edited_input: Json.optional(),
  })
  .meta({ id: "TraceSpan" });
export type TraceSpan = z.infer<typeof TraceSpan>;

export const SentPrompt = z
  .object({
    system_prompt: z.string(),
    tools: z.array(
      z.object({ name: z.string(), description: z.string().optional(), inputSchema: Json.optional() }),
    ),
  })
  .meta({ id: "SentPrompt" });
export type SentPrompt = z.infer<typeof SentPrompt>;

/** `limit`: it failed because it reached one of its limits. */
export const RunStatus = z.enum(["queued", "running", "waiting", "done", "failed", "cancelled", "limit"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const RunOutcome = z.discriminatedUnion("type", [
  z.object({ type: z.literal("done"), message_id: z.string(), output: Json.optional() }),
  z.object({ type: z.literal("failed"), failure: WireFailure.extend({ details: Json.optional() }) }),
  z.object({ type: z.literal("cancelled"), by: z.string().optional() }),
]);

export const WebhookState = z
  .object({
    url: z.string(),
    status: z.enum(["due", "delivered", "given_up"]),
    attempts: z.int(),
    last_error: z.string().nullable(),
    next_at: z.string().nullable().meta({ description: "When it is tried again." }),
  })
  .meta({ id: "WebhookState" });
export type WebhookState = z.infer<typeof WebhookState>;

export const Run = z
  .object({
    id: z.string(),
    session_id: z.string(),
    agent_id: z.string().nullable(),
    status: RunStatus,
    outcome: RunOutcome.nullable(),
    error: WireFailure.nullable(),
    usage: RunUsageWire,
    model: z.string().nullable(),
    parent_run_id: z.string().nullable(),
    client_run_id: z.string().nullable().meta({ description: "What an AG-UI client calls it." }),
    started_at: z.string(),
    ended_at: z.string().nullable(),
    webhook: WebhookState.nullable().optional().meta({
      description: "How the call of the run's webhook stands. Only in the response for a single run.",
    }),
    trace: z.array(TraceSpan).optional().meta({ description: "Only in the response for a single run." }),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;
export const RunList = countedPageOf(Run);

export const RunQuery = PageQuery.extend({
  client_run_id: z.string().max(500).optional().meta({ description: "An AG-UI client's own run id." }),
  agent_id: z.uuid().optional(),
  session_id: z.uuid().optional(),
  status: RunStatus.exclude(["limit"]).optional(),
  q: queryText("the message that started the run"),
});
export type RunQuery = z.input<typeof RunQuery>;
export const RunPage = pageOf(Run);

export const RunCancelled = z.object({ cancelled: z.boolean(), run_id: z.string().optional() });

const ApprovalStatus = z.enum(["pending", "approved", "denied", "expired", "cancelled"]);

export const Approval = z
  .object({
    id: z.string(),
    kind: z.enum(["tool", "scope", "text", "budget", "connect"]),
    status: ApprovalStatus,
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    agent_id: z.string(),
    agent_name: z.string().nullable(),
    tool: z.string(),
    capability_id: z.string(),
    input: Json,
    input_schema: JsonObject.nullable(),
    reason: z.string(),
    allowable: z
      .boolean()
      .meta({ description: "Whether a yes may hold for the rest of the session (`for_session`)." }),
    session_title: z.string().nullable(),
    asked: z
      .string()
      .nullable()
      .meta({ description: "The start of the message that the agent was answering." }),
    requested_by: z.string(),
    assignee: z.string(),
    expiry: ApprovalExpiryWire,
    expires_at: z.string().nullable(),
    created_at: z.string(),
    answered_by: z.string().nullable(),
    answered_at: z.string().nullable(),
    answer: z.object({ words: z.string().nullable(), edited_args: Json }).nullable(),
    result: Json,
  })
  .meta({ id: "Approval" });
export type Approval = z.infer<typeof Approval>;

export const ApprovalAnswer = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    words: z.string().max(4000).optional(),
    edited_args: JsonObject.optional(),
    for_session: z
      .boolean()
      .optional()
      .meta({ description: "With `approve`: this tool need not ask again in this session." }),
  })
  .refine(({ decision, for_session }) => !for_session || decision === "approve", {
    path: ["for_session"],
    message: "is only allowed with approve",
  })
  .refine(({ decision, edited_args }) => edited_args === undefined || decision === "approve", {
    path: ["edited_args"],
    message: "is only allowed with approve",
  })
  .meta({ id: "ApprovalAnswer" });
export type ApprovalAnswer = z.input<typeof ApprovalAnswer>;

export const ApprovalQuery = PageQuery.extend({
  status: ApprovalStatus.optional(),
  session_id: z.uuid().optional(),
  agent_id: z.uuid().optional(),
  q: z.string().max(200).optional().meta({ description: "Text in the tool, the capability or the reason." }),
});
export type ApprovalQuery = z.input<typeof ApprovalQuery>;
export const ApprovalPage = pageOf(Approval);
