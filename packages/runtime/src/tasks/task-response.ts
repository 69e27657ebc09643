/** The answer to a task, from what was ranked, planned and executed so far. */
import type { Failure } from "@capstan/core";
import {
  type ExecutedStep,
  intentOf,
  matchedCapabilities,
  type PlannedStep,
  type RankResult,
  type TaskRequest,
  type TaskResponse,
  taskStatus,
} from "@capstan/core/internal";
import type { BreakerStore } from "./breaker-store.ts";
import type { Visible } from "./task-visibility.ts";

export interface Planned {
  readonly ranked: RankResult;
  readonly steps: readonly PlannedStep[];
  readonly visible: Visible;
  /** What a model filled in. */
  readonly filled?: readonly string[];
}

export async function responseOf(
  breakerStore: Pick<BreakerStore, "list">,
  request: TaskRequest,
  { ranked, steps: planned, visible, filled = [] }: Planned,
  executed: readonly ExecutedStep[],
): Promise<TaskResponse> {
  const steps = planned.map(({ tool: _, ...step }) => step);
  const status = taskStatus(steps, executed, request.dryRun);
  const failures = executed.flatMap(({ ok, step, capabilityId, error }) =>
    ok || !error ? [] : [{ step, capabilityId, code: error.code, message: error.message }],
  );
  const breakers = (await breakerStore.list()).filter(({ state }) => state !== "closed");
  return {
    intent: intentOf(request.task, ranked),
    matchedCapabilities: matchedCapabilities(ranked, { capabilityOf: visible.capabilityOf }),
    plan: steps,
    execution: { dryRun: request.dryRun, steps: executed },
    status,
    diagnostics: {
      degraded: status === "degraded" || status === "partial",
      notes: [...notesOf(ranked, steps, executed), ...filled],
      failures,
      ...(executed.length > 1 && { fallbackUsed: true }),
      ...(breakers.length > 0 && {
        breakers: breakers.map(({ capabilityId, state, failures }) => ({ capabilityId, state, failures })),
      }),
      ...(ranked.rejected && { rejected: ranked.rejected }),
    },
  };
}

function notesOf(
  { noMatch, clauses }: RankResult,
  plan: TaskResponse["plan"],
  executed: readonly ExecutedStep[],
): string[] {
  return [
    ...(noMatch ? ["No capability fits this task well enough."] : []),
    ...(clauses.length > 1
      ? [`The task asks for ${clauses.length} things; the plan serves the best match.`]
      : []),
    ...plan.flatMap(({ step, missing }) => (missing ? [`Step ${step} lacks ${missing.join(", ")}.`] : [])),
    ...executed.flatMap(({ ok, step, error }) => (ok || !error ? [] : [`Step ${step}: ${error.nextStep}`])),
  ];
}

export function refusedTask(request: TaskRequest, { code, message, nextStep }: Failure): TaskResponse {
  return {
    intent: { label: "no-match", confidence: 0, normalizedTask: request.task },
    matchedCapabilities: [],
    plan: [],
    execution: { dryRun: request.dryRun, steps: [] },
    status: "degraded",
    diagnostics: {
      degraded: true,
      notes: [nextStep],
      failures: [{ step: 0, capabilityId: "none", code, message }],
    },
  };
}
