/**
 * Guesses cause no side effects: a plan that is not certain enough, or has guessed input, is proposed and not executed. The proposal
 * is the stored answer of its task. To confirm it, the caller names that task, and exactly the stored plan is executed.
 */
import { fail, ok, type Result } from "@capstan/core";
import {
  type ExecutedStep,
  type PlannedStep,
  type TaskRequest,
  type TaskResponse,
  whatToConfirm,
} from "@capstan/core/internal";
import type { Planned } from "./plan-task.ts";
import type { TaskRecord, TaskStore } from "./task-store.ts";
import { type VisibilityParts, visibleTo } from "./task-visibility.ts";

/** What needs confirmation. A fallback step that needs it is dropped instead: it would only replace another. */
export function proposalOf(planned: Planned): { readonly planned: Planned; readonly why: readonly string[] } {
  const steps = planned.steps.filter(
    (step) => step.fallbackFor === undefined || whatToConfirm(step).length === 0,
  );
  const why = steps.filter(({ missing }) => !missing).flatMap(whatToConfirm);
  return { planned: { ...planned, steps }, why };
}

export function proposedSteps(steps: readonly PlannedStep[], why: readonly string[]): ExecutedStep[] {
  const { code, message, nextStep, status } = fail("task_unconfirmed", { why }).failure;
  return steps
    .filter(({ fallbackFor }) => fallbackFor === undefined)
    .map(({ step, capabilityId, route, method }) => ({
      step,
      capabilityId,
      route,
      method,
      ok: false,
      status,
      skipped: true,
      error: { code, message, nextStep },
    }));
}

/** The plan of an earlier proposal, with the current rights. */
export async function confirmedPlan(
  parts: VisibilityParts & { readonly tasks: Pick<TaskStore, "get"> },
  request: TaskRequest,
  confirm: string,
  email: string,
): Promise<Result<Planned>> {
  const found = await parts.tasks.get(confirm);
  const proposed = found.ok ? storedProposal(found.value, email) : undefined;
  if (!proposed) return fail("not_found", { what: "proposed task", id: confirm });
  if (proposed.task !== request.task) {
    return fail("conflict", {
      message: "This confirmation belongs to another task.",
      nextStep: "Send the task again without `confirm` to get its own proposal.",
    });
  }
  const visible = await visibleTo(parts, request, email);
  if (!visible.ok) return visible;
  const { intent, matchedCapabilities, plan, diagnostics } = proposed.response;
  return ok({
    intent,
    matched: matchedCapabilities,
    steps: plan,
    visible: visible.value,
    clauses: [],
    unserved: diagnostics.unserved ?? [],
    notes: [`Confirmed as proposed by task ${confirm}.`],
  });
}

function storedProposal({ owner, status, request, response }: TaskRecord, email: string) {
  const answer = response as TaskResponse;
  return owner === email && status === "done" && answer.proposal
    ? { task: (request as TaskRequest).task, response: answer }
    : undefined;
}
