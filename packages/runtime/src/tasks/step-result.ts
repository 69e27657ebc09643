/** The outcome of a step, for the answer and for telemetry. A service's own status and body are passed on unchanged. */
import { type Failure, fail, type JsonValue } from "@capstan/core";
import type { ExecutedStep, PlannedStep } from "@capstan/core/internal";
import type { GateOutcome } from "../gate/gate.ts";
import type { FailureClass } from "../telemetry/telemetry.ts";

export const placeOf = ({
  step,
  capabilityId,
  route,
  method,
}: PlannedStep): Pick<ExecutedStep, "step" | "capabilityId" | "route" | "method"> => ({
  step,
  capabilityId,
  route,
  method,
});

export function failedStep(step: PlannedStep, failure: Failure): ExecutedStep {
  const { code, message, nextStep } = failure;
  const answered = serviceAnswer(failure);
  return {
    ...placeOf(step),
    ok: false,
    status: answered?.status ?? failure.status,
    ...(answered?.body !== undefined && { data: answered.body }),
    error: { code, message, nextStep },
  };
}

/** The response of another service, if it caused the failure: its 500 stays a 500. */
function serviceAnswer({ code, details }: Failure): { status: number; body?: JsonValue } | undefined {
  if (code !== "service_refused" || typeof details !== "object" || details === null) return undefined;
  const { status, body } = details as { status?: unknown; body?: JsonValue };
  return typeof status === "number" ? { status, ...(body !== undefined && { body }) } : undefined;
}

export function failureOf(outcome: Exclude<GateOutcome, { kind: "done" | "approval" }>): Failure {
  if (outcome.kind === "refused") return outcome.failure;
  return fail("tool_denied", { tool: outcome.tool.name, why: "only a client can run it" }).failure;
}

const OUR_FAULTS = new Set(["tool_crashed", "tool_timeout", "cancelled"]);

/** A skipped step called nothing, like a dry run, and does not count in rates. */
export function failureClassOf({ ok, skipped, error }: ExecutedStep): FailureClass {
  if (ok) return "success";
  if (skipped) return "dry_run";
  return OUR_FAULTS.has(error?.code ?? "") ? "runtime_error" : "http_error";
}
