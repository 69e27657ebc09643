/**
 * Executes a plan: the first step, and the second only when the first failed. Each goes through the gate, within its
 * time, past the capability's breaker, and is tried again when it may be. A step's failure is a value, never thrown.
 */
import {
  type AnyTool,
  type Failure,
  fail,
  type JsonValue,
  type RuntimeAgent,
  type ToolUser,
} from "@capstan/core";
import type { ExecutedStep, PlannedStep } from "@capstan/core/internal";
import type { Gate, GateOutcome } from "../gate/gate.ts";
import type { BreakerStore } from "./breaker-store.ts";

export interface StepParts {
  readonly gate: Gate;
  readonly breakers: BreakerStore;
  /** The tool a step stands for. */
  readonly toolOf: (step: PlannedStep) => AnyTool | undefined;
  /** The agent whose tool is called; refused when it may not be. */
  readonly agentFor: (
    capabilityId: string,
  ) => Promise<{ agent: RuntimeAgent; toolName: (tool: string) => string } | { failure: Failure }>;
  /** Whether the capability may call this route; the reason when not. */
  readonly refuseRoute: (step: PlannedStep) => Failure | undefined;
  readonly user: ToolUser;
  /** Prefix of the steps' idempotency keys. */
  readonly taskId: string;
  /** On the clock of `performance`: what the agent's time is counted from. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
  /** Before each step: what was done so far, and what is next. */
  readonly onProgress?: (done: readonly ExecutedStep[], next: PlannedStep) => Promise<void>;
}

const RETRY_WAITS_MS = [0, 200, 800];
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

export async function executeSteps(
  planned: readonly PlannedStep[],
  parts: StepParts,
): Promise<ExecutedStep[]> {
  const done: ExecutedStep[] = [];
  for (const [index, entry] of planned.entries()) {
    await parts.onProgress?.([...done], entry);
    const executed = await executeStep(entry, index > 0, parts);
    done.push(executed);
    if (executed.ok || executed.skipped) break; // what the task does not say, no other capability knows either
  }
  return done;
}

async function executeStep(step: PlannedStep, fallback: boolean, parts: StepParts): Promise<ExecutedStep> {
  const place = { step: step.step, capabilityId: step.capabilityId, route: step.route, method: step.method };
  const refused = (failure: Failure): ExecutedStep => ({
    ...place,
    ok: false,
    status: failure.status,
    error: { code: failure.code, message: failure.message, nextStep: failure.nextStep },
  });
  if (step.missing)
    return { ...refused(fail("task_input_missing", { missing: step.missing }).failure), skipped: true };
  const route = parts.refuseRoute(step);
  if (route) return refused(route);
  const tool = parts.toolOf(step);
  if (!tool) return refused(fail("tool_unknown", { tool: step.tool ?? step.route, nearest: [] }).failure);
  const { pass } = await parts.breakers.admit(step.capabilityId);
  if (!pass) return refused(fail("capability_resting", { id: step.capabilityId }).failure);
  const found = await parts.agentFor(step.capabilityId);
  if ("failure" in found) return refused(found.failure);
  const outcome = await withRetries(
    tool,
    (attempt) => call(step, tool, found, { fallback, attempt }, parts),
    parts.signal,
  );
  await parts.breakers.settle(step.capabilityId, outcome.kind === "done" || !isOurFault(outcome));
  return outcome.kind === "done"
    ? { ...place, ok: true, status: 200, data: outcome.output }
    : refused(failureOf(outcome));
}

function call(
  step: PlannedStep,
  tool: AnyTool,
  { agent, toolName }: { agent: RuntimeAgent; toolName: (tool: string) => string },
  { fallback, attempt }: { fallback: boolean; attempt: number },
  { gate, user, taskId, startedAt, signal, timeoutMs }: StepParts,
): Promise<GateOutcome> {
  const { maxSeconds } = agent.spec.limits;
  const used = (performance.now() - startedAt) / 1000;
  const within = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return gate.call({
    path: "task",
    agent,
    tool: toolName(tool.name),
    input: step.payload as Record<string, JsonValue>,
    user,
    callId: `${taskId}:${step.step}${attempt > 0 && !tool.idempotent ? `:${attempt}` : ""}`,
    signal: within,
    budgets: maxSeconds === undefined ? [] : [{ name: "time in seconds", used, limit: maxSeconds }],
    step: step.step,
    fallback,
  });
}

/** Only a tool that may run twice without harm is tried again. */
async function withRetries(
  { idempotent }: AnyTool,
  attempt: (number: number) => Promise<GateOutcome>,
  signal: AbortSignal,
): Promise<GateOutcome> {
  let outcome = await attempt(0);
  for (
    let number = 1;
    number < RETRY_WAITS_MS.length && idempotent && mayRetry(outcome) && !signal.aborted;
    number++
  ) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_WAITS_MS[number]));
    outcome = await attempt(number);
  }
  return outcome;
}

/** What is not configured does not get better by asking again. */
const mayRetry = (outcome: GateOutcome): boolean =>
  outcome.kind === "refused" &&
  RETRIED.has(outcome.failure.status) &&
  outcome.failure.code !== "not_available";

/** A refusal of the caller's input says nothing about the capability's health. */
const isOurFault = (outcome: GateOutcome): boolean =>
  outcome.kind === "refused" && outcome.failure.status >= 500 && outcome.failure.code !== "not_available";

function failureOf(outcome: Exclude<GateOutcome, { kind: "done" }>): Failure {
  if (outcome.kind === "refused") return outcome.failure;
  const why =
    outcome.kind === "approval"
      ? "a person must approve it first; call it in a session"
      : "only a client can run it";
  return fail("tool_denied", { tool: outcome.tool.name, why }).failure;
}
