/** Tasks as in the specification, in camelCase; explanations of routing, in snake_case. */
import {
  rankCatalogRequest,
  TaskRequest as TaskRequestSchema,
  telemetryRecord,
} from "@capstan/core/internal";
import { z } from "zod";
import { itemsOf, Json, JsonObject, queryNumber } from "./page.ts";

/** The contract in core, which the planner uses. */
export const TaskRequest = TaskRequestSchema.meta({ id: "TaskRequest" });
export type TaskRequest = z.input<typeof TaskRequest>;
export const RankRequest = z
  .strictObject({
    capabilities: rankCatalogRequest.shape.capabilities,
    tasks: rankCatalogRequest.shape.tasks,
    top_k: rankCatalogRequest.shape.topK,
  })
  .meta({ id: "RankRequest" });

const TaskIntent = z.object({ label: z.string(), confidence: z.number(), normalizedTask: z.string() });

export const MatchedCapability = z.object({
  capability: z.object({ id: z.string(), name: z.string(), route: z.string(), method: z.string() }),
  score: z.number(),
  reasons: z.array(z.string()),
});
export type MatchedCapability = z.infer<typeof MatchedCapability>;

const ToolRisk = z.enum(["read", "write", "irreversible"]);

export const PlanStep = z.object({
  step: z.int(),
  capabilityId: z.string(),
  route: z.string(),
  method: z.string(),
  goal: z.string(),
  payload: JsonObject,
  missing: z
    .array(z.string())
    .optional()
    .meta({ description: "Required input that the task does not give; such a step is not called." }),
  risk: ToolRisk,
  tool: z.string().optional(),
  guessed: z.array(z.string()).optional().meta({ description: "Input that was guessed from the task." }),
  confidence: z.number(),
  part: z.string().optional().meta({ description: "The part of the task this step serves." }),
  takes: z
    .array(z.object({ input: z.string(), fromStep: z.int() }))
    .optional()
    .meta({ description: "Input taken from the output of an earlier step." }),
  fallbackFor: z
    .int()
    .optional()
    .meta({ description: "Executed only when the step with this number failed." }),
});
export type PlanStep = z.infer<typeof PlanStep>;

export const ExecutedStep = z.object({
  step: z.int(),
  capabilityId: z.string(),
  ok: z.boolean(),
  status: z.int().optional(),
  route: z.string().optional(),
  method: z.string().optional(),
  data: Json.optional(),
  error: z.object({ code: z.string(), message: z.string(), nextStep: z.string() }).optional(),
  skipped: z.literal(true).optional(),
  attempts: z.int().optional().meta({ description: "Number of calls, when more than one." }),
  approvalId: z.string().optional().meta({ description: "The approval the call is or was waiting for." }),
});
export type ExecutedStep = z.infer<typeof ExecutedStep>;

const Rejected = z.object({ id: z.string(), score: z.number(), why: z.string() });
const TaskStatus = z.enum(["ok", "partial", "degraded", "no-match", "error"]);

export const TaskAnswer = z
  .object({
    intent: TaskIntent,
    matchedCapabilities: z.array(MatchedCapability),
    plan: z.array(PlanStep),
    execution: z.object({ dryRun: z.boolean(), steps: z.array(ExecutedStep) }),
    status: TaskStatus,
    session: z.object({ id: z.string(), files: z.array(z.string()) }).optional(),
    proposal: z
      .object({ confirm: z.string(), why: z.array(z.string()) })
      .optional()
      .meta({
        description:
          "Nothing was executed because confirmation is required; `confirm` executes exactly this plan.",
      }),
    diagnostics: z.object({
      degraded: z.boolean(),
      notes: z.array(z.string()),
      unserved: z
        .array(z.string())
        .optional()
        .meta({ description: "Parts of the task that no capability serves: they were not done." }),
      failures: z.array(
        z.object({ step: z.int(), capabilityId: z.string(), code: z.string(), message: z.string() }),
      ),
      fallbackUsed: z.boolean().optional(),
      breakers: z
        .array(z.object({ capabilityId: z.string(), tool: z.string(), state: z.string(), failures: z.int() }))
        .optional(),
      rejected: z.array(Rejected).optional(),
    }),
  })
  .meta({ id: "TaskAnswer" });
export type TaskAnswer = z.infer<typeof TaskAnswer>;

export const TaskStarted = z
  .object({ taskId: z.string(), status: z.string(), statusUrl: z.string(), eventsUrl: z.string() })
  .meta({ id: "TaskStarted" });
export type TaskStarted = z.infer<typeof TaskStarted>;

export const TaskState = z
  .object({
    taskId: z.string(),
    status: z.enum(["running", "done"]),
    response: TaskAnswer.optional(),
    progress: Json.optional().meta({ description: "Progress while it runs." }),
  })
  .meta({ id: "Task" });
export type TaskState = z.infer<typeof TaskState>;

/** The state in a task's events. */
export const TaskEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("planned"), ...TaskAnswer.pick({ intent: true, plan: true }).shape }),
  z.object({ type: z.literal("step-started"), step: z.int(), capabilityId: z.string(), goal: z.string() }),
  z.object({ type: z.literal("approval-needed"), step: z.int(), approvalId: z.string() }),
  z.object({ type: z.literal("step-ended"), ...ExecutedStep.shape }),
  z.object({ type: z.literal("done"), response: TaskAnswer }),
]);
export type TaskEvent = z.infer<typeof TaskEvent>;

export const RouteRequest = z
  .strictObject({
    task: TaskRequestSchema.shape.task,
    agent_id: TaskRequestSchema.shape.agentId,
    top_k: TaskRequestSchema.shape.topK,
  })
  .meta({ id: "RouteRequest" });
export type RouteRequest = z.input<typeof RouteRequest>;

export const RouteMatch = z.object({
  id: z.string(),
  name: z.string(),
  route: z.string().optional(),
  method: z.string().optional(),
  score: z.number(),
  reasons: z.array(z.string()),
});
export type RouteMatch = z.infer<typeof RouteMatch>;

export const RouteAnswer = z
  .object({
    intent: TaskIntent,
    matches: z.array(RouteMatch),
    rejected: z.array(Rejected),
    plan: z.array(PlanStep),
    status: TaskStatus,
    clauses: z.array(z.string()),
    chat: z.object({ capability_id: z.string(), pattern: z.string() }).nullable().optional().meta({
      description: "The capability whose `chatPatterns` match: a chat message goes to the router.",
    }),
  })
  .meta({ id: "RouteAnswer" });
export type RouteAnswer = z.infer<typeof RouteAnswer>;

export const RankAnswer = z
  .object({
    results: z.array(
      z.object({
        task: z.string(),
        matches: z.array(z.object({ id: z.string(), score: z.number(), reasons: z.array(z.string()) })),
      }),
    ),
  })
  .meta({ id: "RankAnswer" });

export const TelemetrySummary = z.object({
  total: z.int(),
  successful: z.int(),
  successRate: z.number(),
  fallbackUsed: z.int(),
  fallbackRate: z.number(),
  avgLatencyMs: z.number(),
  byCapability: z.record(z.string(), z.object({ count: z.int(), errors: z.int(), avgLatencyMs: z.number() })),
  latestTimestamp: z.string().nullable().optional(),
});
export type TelemetrySummary = z.infer<typeof TelemetrySummary>;

export const TelemetryRecord = telemetryRecord;
export type TelemetryRecord = z.infer<typeof TelemetryRecord>;

export const TelemetryAnswer = z
  .object({ summary: TelemetrySummary, records: z.array(TelemetryRecord) })
  .meta({ id: "Telemetry" });
export type TelemetryAnswer = z.infer<typeof TelemetryAnswer>;

/** As in the specification, no limit is refused: an invalid one becomes the default, a large one is capped. */
export const TelemetryQuery = z.strictObject({
  limit: z.string().max(20).optional().meta({ description: "How many records; 25 by default, 200 at most." }),
});

export const TelemetryBucket = z.object({
  ts: z.string(),
  total: z.int(),
  successful: z.int(),
  fallback: z.int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});
export type TelemetryBucket = z.infer<typeof TelemetryBucket>;
export const TelemetrySeries = itemsOf(TelemetryBucket);

const LONGEST_HOURS = 24 * 90;
export const SeriesQuery = z.strictObject({
  hours: queryNumber(z.number().positive().max(LONGEST_HOURS)).default(24),
  bucket_seconds: queryNumber(z.int().min(10).max(86_400)).default(3600),
});
