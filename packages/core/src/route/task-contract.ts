/** The contract of `POST /api/execute-task`, field for field as the specification has it. */
import { z } from "zod";
import type { JsonValue } from "../schema.ts";
import type { ToolRisk } from "../tool.ts";

const MAX_TASK_CHARS = 100_000;

export const TaskRequest = z.strictObject({
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
  /** The session whose files and data the tools work on; without one, a fresh one is made when a tool needs it. */
  sessionId: z.uuid().optional(),
  /** Whether to wait for a person's answer when a tool needs approval. */
  wait: z.boolean().default(false),
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
  /** The tool the step stands for; called directly when the capability has no route of its own. */
  readonly tool?: string;
  /** Input that is only the likeliest reading of the task. */
  readonly guessed?: readonly string[];
  /** Files the task names that the call has no place for. */
  readonly unplaced?: readonly string[];
  /** How likely this is what the task, or this part of it, asks for. */
  readonly confidence: number;
  /** The part of the task this step serves, when it asks for several things. */
  readonly part?: string;
  /** Input that the output of an earlier step gives. */
  readonly takes?: readonly { readonly input: string; readonly fromStep: number }[];
  /** Executed only when the step with this number failed. */
  readonly fallbackFor?: number;
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
  /** Nothing was called: input is missing, or a person should look first. */
  readonly skipped?: true;
  /** How often it was called, when more than once. */
  readonly attempts?: number;
  /** The approval that the call waits for or waited for. */
  readonly approvalId?: string;
}

export interface TaskResponse {
  readonly intent: TaskIntent;
  readonly matchedCapabilities: readonly MatchedCapability[];
  readonly plan: readonly TaskStep[];
  readonly execution: { readonly dryRun: boolean; readonly steps: readonly ExecutedStep[] };
  readonly status: TaskStatus;
  /** The session the steps worked in, and the files it holds now. */
  readonly session?: { readonly id: string; readonly files: readonly string[] };
  /** Set when nothing was executed because a person should look first. */
  readonly proposal?: {
    /** Send the same request with this as `confirm` to execute exactly this plan. */
    readonly confirm: string;
    readonly why: readonly string[];
  };
  readonly diagnostics: {
    readonly degraded: boolean;
    readonly notes: readonly string[];
    /** Parts of the task that no capability serves: they were not done. */
    readonly unserved?: readonly string[];
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

/**
 * Judged on what was executed: a step that stood in for a failed one makes it partial, and so does a part of the task that no
 * step serves.
 */
export function taskStatus(
  plan: readonly TaskStep[],
  steps: readonly ExecutedStep[],
  { dryRun, unserved }: { readonly dryRun: boolean; readonly unserved: number },
): TaskStatus {
  if (plan.length === 0) return "no-match";
  if (dryRun) return unserved > 0 ? "partial" : "ok";
  const succeeded = steps.filter(({ ok }) => ok).length;
  if (steps.length > 0 && succeeded === steps.length) return unserved > 0 ? "partial" : "ok";
  return succeeded > 0 ? "partial" : "degraded";
}
