/** The contract of `POST /api/execute-task`, field by field as in the specification. */
import { z } from "zod";
import { misspeltField } from "../fault-messages.ts";
import type { JsonValue } from "../schema.ts";
import type { ToolRisk } from "../tool.ts";

const MAX_TASK_CHARS = 100_000;

/** The caller's own words beside ours. */
const TaskContext = z
  .looseObject({ userId: z.string().min(1).max(320).optional() })
  .superRefine((context, check) => {
    const message = misspeltField(context, ["userId"]);
    if (message !== undefined) check.addIssue({ code: "custom", message });
  });

export const TaskRequest = z.strictObject({
  task: z.string().trim().min(1).max(MAX_TASK_CHARS),
  context: TaskContext.default({}),
  dryRun: z.boolean().default(false),
  /** Return immediately with a task to poll or follow. */
  async: z.boolean().default(false),
  topK: z.int().min(1).max(50).default(5),
  /** Only capabilities this agent can see. */
  agentId: z.string().max(100).optional(),
  timeoutMs: z.int().min(1).max(600_000).optional(),
  includeRejected: z.boolean().default(false),
  /** The session whose files and data the tools use; by default a new one is created when a tool needs it. */
  sessionId: z.uuid().optional(),
  /** Whether to wait for the answer when a tool requires approval. */
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
  /** Required input that the task does not give; such a step is not called. */
  readonly missing?: readonly string[];
  /** What the call can change. */
  readonly risk: ToolRisk;
  /** The step's tool; called directly when the capability has no route of its own. */
  readonly tool?: string;
  /** Input that was guessed from the task. */
  readonly guessed?: readonly string[];
  /** Files in the task that the call does not use. */
  readonly unplaced?: readonly string[];
  /** How likely this is what the task, or this part of it, asks for. */
  readonly confidence: number;
  /** The part of the task this step serves, when it has several. */
  readonly part?: string;
  /** Input taken from the output of an earlier step. */
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
  /** Nothing was called: input is missing, or confirmation is required. */
  readonly skipped?: true;
  /** Number of calls, when more than one. */
  readonly attempts?: number;
  /** The approval that the call is or was waiting for. */
  readonly approvalId?: string;
}

export interface TaskResponse {
  readonly intent: TaskIntent;
  readonly matchedCapabilities: readonly MatchedCapability[];
  readonly plan: readonly TaskStep[];
  readonly execution: { readonly dryRun: boolean; readonly steps: readonly ExecutedStep[] };
  readonly status: TaskStatus;
  /** The session the steps worked in, and its current files. */
  readonly session?: { readonly id: string; readonly files: readonly string[] };
  /** Set when nothing was executed because confirmation is required. */
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
      readonly tool: string;
      readonly state: string;
      readonly failures: number;
    }[];
    readonly rejected?: readonly { readonly id: string; readonly score: number; readonly why: string }[];
  };
}

/**
 * Based on what was executed: a secondary step that replaced a failed one makes it partial, and so does a part of the
 * task that no step serves.
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
