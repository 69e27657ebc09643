/** POST /api/execute-task: request, answer and status, field for field as the task specification has them (camelCase). */
import { z } from "zod";

/** A task of this length is a document. `rank` reads the first part of it anyway. */
const MAX_TASK_INPUT_CHARS = 100_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_TOP_K = 50;

export const executeTaskRequest = z.object({
  task: z.string().trim().min(1).max(MAX_TASK_INPUT_CHARS),
  /** `userId` selects the user whose rights count; the rest is passed on. */
  context: z.looseObject({ userId: z.string().min(1).max(320).optional() }).default({}),
  dryRun: z.boolean().default(false),
  /** Answer at once with a run to poll or to follow. */
  async: z.boolean().default(false),
  topK: z.int().min(1).max(MAX_TOP_K).default(5),
  /** Only what this agent can see takes part. */
  agentId: z.string().min(1).max(200).optional(),
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
});
export type ExecuteTaskRequest = z.output<typeof executeTaskRequest>;

const method = z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]);

export const planStepSchema = z.object({
  step: z.int().min(1),
  capabilityId: z.string(),
  route: z.string().optional(),
  method: method.optional(),
  tool: z.string().optional(),
  goal: z.string(),
  payload: z.record(z.string(), z.json()),
  missing: z.array(z.string()).optional(),
});

export const executedStepSchema = z.object({
  step: z.int().min(1),
  capabilityId: z.string(),
  ok: z.boolean(),
  /** HTTP status, when there was an answer. */
  status: z.int().optional(),
  route: z.string().optional(),
  method: method.optional(),
  tool: z.string().optional(),
  data: z.unknown().optional(),
  error: z.unknown().optional(),
});
export type ExecutedStep = z.output<typeof executedStepSchema>;

export const TASK_STATUSES = ["ok", "partial", "degraded", "no-match", "error"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const executeTaskResponse = z.object({
  intent: z.object({ label: z.string(), confidence: z.number().min(0).max(1), normalizedTask: z.string() }),
  matchedCapabilities: z.array(
    z.object({
      capability: z.looseObject({
        id: z.string(),
        route: z.string().optional(),
        method: method.optional(),
      }),
      score: z.number(),
      reasons: z.array(z.string()),
    }),
  ),
  plan: z.array(planStepSchema),
  execution: z.object({ dryRun: z.boolean(), steps: z.array(executedStepSchema) }),
  status: z.enum(TASK_STATUSES),
  diagnostics: z.looseObject({
    degraded: z.boolean(),
    notes: z.array(z.string()),
    failures: z.array(z.unknown()),
  }),
});
export type ExecuteTaskResponse = z.output<typeof executeTaskResponse>;

/**
 * Judged on what ran: all steps that ran succeeded = ok; the primary failed and the secondary did it = partial; none
 * succeeded, or a step could not even run for lack of input = degraded. `error` exists in the type and is never answered.
 */
export function taskStatus({
  planned,
  executed,
  dryRun,
}: {
  readonly planned: readonly { readonly missing?: readonly string[] }[];
  readonly executed: readonly { readonly ok: boolean }[];
  readonly dryRun: boolean;
}): TaskStatus {
  const [primary] = planned;
  if (!primary) return "no-match";
  if (dryRun) return primary.missing?.length ? "degraded" : "ok";
  const succeeded = executed.filter(({ ok }) => ok).length;
  if (succeeded === 0) return "degraded";
  return succeeded === executed.length ? "ok" : "partial";
}
