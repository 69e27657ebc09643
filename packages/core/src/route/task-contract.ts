/** The contract of `POST /api/execute-task`, field for field as the specification has it. */
import { z } from "zod";
import type { JsonValue } from "../schema.ts";
import type { ToolRisk } from "../tool.ts";

const MAX_TASK_CHARS = 100_000;

export const TaskRequest = z.object({
  task: z.string().trim().min(1).max(MAX_TASK_CHARS),
  context: z.looseObject({ userId: z.string().max(320).optional() }).default({}),
  dryRun: z.boolean().default(false),
  /** Answer at once with a task to poll or follow. */
  async: z.boolean().default(false),
  topK: z.int().min(1).max(50).default(5),
  /** Only capabilities this agent can see. */
  agentId: z.string().max(100).optional(),
  timeoutMs: z.int().min(1).max(600_000).optional(),
  includeRejected: z.boolean().default(false),
  /** `proposal.confirm` of an earlier answer: executes that plan, and only that one. */
  confirm: z.string().max(100).optional(),
});
export type TaskRequest = z.output<typeof TaskRequest>;

export type TaskStatus = "ok" | "partial" | "degraded" | "no-match" | "error";

export interface TaskIntent {
  readonly label: string;
  readonly confidence: number;
  readonly normalizedTask: string;
}

export interface MatchedCapability {
  readonly capability: {
    readonly id: string;
    readonly name: string;
    readonly route: string;
    readonly method: string;
  };
  readonly score: number;
  readonly reasons: readonly string[];
}

export interface TaskStep {
  readonly step: number;
  readonly capabilityId: string;
  readonly route: string;
  readonly method: string;
  readonly goal: string;
  readonly payload: Readonly<Record<string, JsonValue>>;
  /** Required input the task does not give; such a step is not called. */
  readonly missing?: readonly string[];
  /** What the call can do to the world. */
  readonly risk: ToolRisk;
  /** Input that is only the likeliest reading of the task. */
  readonly guessed?: readonly string[];
}

export interface ExecutedStep {
  readonly step: number;
  readonly capabilityId: string;
  readonly ok: boolean;
  readonly status?: number;
  readonly route: string;
  readonly method: string;
  readonly data?: JsonValue;
  readonly error?: { readonly code: string; readonly message: string; readonly nextStep: string };
  readonly skipped?: true;
}

export interface TaskResponse {
  readonly intent: TaskIntent;
  readonly matchedCapabilities: readonly MatchedCapability[];
  readonly plan: readonly TaskStep[];
  readonly execution: { readonly dryRun: boolean; readonly steps: readonly ExecutedStep[] };
  readonly status: TaskStatus;
  /** Set when nothing was executed because a person should look first. */
  readonly proposal?: {
    /** Send the same request with this as `confirm` to execute exactly this plan. */
    readonly confirm: string;
    readonly why: readonly string[];
  };
  readonly diagnostics: {
    readonly degraded: boolean;
    readonly notes: readonly string[];
    readonly failures: readonly {
      readonly step: number;
      readonly capabilityId: string;
      readonly code: string;
      readonly message: string;
    }[];
    readonly fallbackUsed?: boolean;
    readonly breakers?: readonly {
      readonly capabilityId: string;
      readonly state: string;
      readonly failures: number;
    }[];
    readonly rejected?: readonly { readonly id: string; readonly score: number; readonly why: string }[];
  };
}

/** Judged on what was executed: a step that stood in for a failed one makes it partial. */
export function taskStatus(
  plan: readonly TaskStep[],
  steps: readonly ExecutedStep[],
  dryRun: boolean,
): TaskStatus {
  if (plan.length === 0) return "no-match";
  if (dryRun) return "ok";
  const succeeded = steps.filter(({ ok }) => ok).length;
  if (steps.length > 0 && succeeded === steps.length) return "ok";
  return succeeded > 0 ? "partial" : "degraded";
}
