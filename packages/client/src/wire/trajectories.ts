/** ATIF, version 1.7: a conversation in the Agent Trajectory Interchange Format. Strict, as the format is: no other fields. */
import { ATIF_VERSION } from "@capstan/core/internal";
import { z } from "zod";
import { JsonObject } from "./page.ts";

const Count = z.int().min(0);
const extra = JsonObject.optional();

const ToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: JsonObject,
  extra,
});

const Result = z.strictObject({
  source_call_id: z.string().nullable().optional(),
  content: z.string().nullable().optional(),
  subagent_trajectory_ref: z.array(JsonObject).nullable().optional(),
  extra,
});

const Step = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: z.iso.datetime({ offset: true }).optional(),
    source: z.enum(["system", "user", "agent"]),
    model_name: z.string().optional(),
    reasoning_effort: z.union([z.string(), z.number()]).optional(),
    message: z.string(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(ToolCall).optional(),
    observation: z.strictObject({ results: z.array(Result) }).optional(),
    metrics: z
      .strictObject({
        prompt_tokens: Count.optional(),
        completion_tokens: Count.optional(),
        cached_tokens: Count.optional(),
        cost_usd: z.number().min(0).optional(),
        extra,
      })
      .optional(),
    extra,
  })
  .meta({ id: "TrajectoryStep" });

export const Trajectory = z
  .strictObject({
    schema_version: z.literal(ATIF_VERSION),
    session_id: z.string(),
    trajectory_id: z.string(),
    agent: z.strictObject({
      name: z.string(),
      version: z.string(),
      model_name: z.string().optional(),
      extra,
    }),
    steps: z.array(Step).min(1),
    notes: z.string().optional(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: Count.optional(),
        total_completion_tokens: Count.optional(),
        total_cached_tokens: Count.optional(),
        total_cost_usd: z.number().min(0).optional(),
        total_steps: Count.optional(),
        extra,
      })
      .optional(),
    extra,
  })
  .meta({ id: "Trajectory", description: "An ATIF trajectory." });
export type Trajectory = z.infer<typeof Trajectory>;

export const TrajectoryQuery = z.strictObject({
  run_id: z
    .uuid()
    .optional()
    .meta({ description: "Only what this run added, and the message that started it." }),
});
export type TrajectoryQuery = z.input<typeof TrajectoryQuery>;
