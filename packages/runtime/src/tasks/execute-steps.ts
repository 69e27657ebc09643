/**
 * Executes a plan's steps in order; a fallback step only when the step it replaces failed. Each passes the gate, has a timeout
 * and a circuit breaker, and is retried where allowed. A step's failure is a value, never thrown.
 */
import {
  type AnyTool,
  type Failure,
  fail,
  type JsonValue,
  type RuntimeAgent,
  type ToolUser,
} from "@capstan/core";
import { type ExecutedStep, type PlannedStep, valueFor } from "@capstan/core/internal";
import type { Gate, GateOutcome } from "../gate/gate.ts";
import type { TelemetryRecord } from "../telemetry/telemetry.ts";
import type { BreakerStore } from "./breaker-store.ts";
import { failedStep, failureClassOf, failureOf, placeOf } from "./step-result.ts";

export interface StepParts {
  readonly gate: Gate;
  readonly breakers: BreakerStore;
  /** The step's tool. */
  readonly toolOf: (step: PlannedStep) => AnyTool | undefined;
  /** The agent whose tool is called; refused when not allowed. */
  readonly agentFor: (
    capabilityId: string,
  ) => Promise<{ agent: RuntimeAgent; toolName: (tool: string) => string } | { failure: Failure }>;
  /** Whether the capability may call this route; the reason if not. */
  readonly refuseRoute: (step: PlannedStep) => Failure | undefined;
  /** The session a tool works in; a new one when it needs one and none was given. */
  readonly sessionFor: (tool: Pick<AnyTool, "requiresContext">) => Promise<string | undefined>;
  /** Asks a person, and waits for the answer if the caller wants that. */
  readonly askPerson: (
    outcome: Extract<GateOutcome, { kind: "approval" }>,
    place: {
      callId: string;
      agent: RuntimeAgent;
      sessionId: string | undefined;
      onAsked: (approvalId: string) => Promise<void>;
    },
  ) => Promise<PersonAnswer>;
  readonly user: ToolUser;
  /** Prefix of the steps' idempotency keys. */
  readonly taskId: string;
  readonly traceparent?: string | undefined;
  /** On the clock of `performance`: the start of the agent's time limit. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
  /** Before each step: what was done so far, and what is next. */
  readonly onProgress?: (
    done: readonly ExecutedStep[],
    next: PlannedStep,
    approvalId?: string,
  ) => Promise<void>;
  /** Once per step, whether it was executed or skipped. */
  readonly record: (record: TelemetryRecord, tool: string, sessionId: string | undefined) => void;
}

export interface PersonAnswer {
  readonly approvalId: string;
  /** Absent while nobody has answered. */
  readonly result?: { readonly output: JsonValue } | { readonly failure: Failure };
}

const RETRY_WAITS_MS = [0, 200, 800];
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

export async function executeSteps(
  planned: readonly PlannedStep[],
  parts: StepParts,
): Promise<ExecutedStep[]> {
  const done: ExecutedStep[] = [];
  for (const entry of planned) {
    if (!isDue(entry, done)) continue;
    const step = withOutputs(entry, done, parts);
    await parts.onProgress?.([...done], step);
    const onAsked = async (approvalId: string) => parts.onProgress?.([...done], step, approvalId);
    done.push(await recordedStep(step, parts, { onAsked }));
  }
  return done;
}

/** When the task lacks input for the first step, no other capability has it either. */
function isDue({ fallbackFor }: PlannedStep, done: readonly ExecutedStep[]): boolean {
  if (fallbackFor === undefined) return true;
  const first = done.find(({ step }) => step === fallbackFor);
  return first !== undefined && !first.ok && !first.skipped;
}

/** Fills a step's input from earlier steps; what they do not provide is missing. */
function withOutputs(step: PlannedStep, done: readonly ExecutedStep[], { toolOf }: StepParts): PlannedStep {
  const schema = toolOf(step)?.input.jsonSchema ?? {};
  const found = (step.takes ?? []).map(({ input, fromStep }) => {
    const source = done.find((each) => each.step === fromStep);
    return { input, value: source?.ok ? valueFor(input, schema, source.data) : undefined };
  });
  const missing = found.filter(({ value }) => value === undefined).map(({ input }) => input);
  const given = found.flatMap(({ input, value }) => (value === undefined ? [] : [[input, value] as const]));
  return {
    ...step,
    payload: { ...step.payload, ...Object.fromEntries(given) },
    ...(missing.length > 0 && { missing: [...(step.missing ?? []), ...missing] }),
  };
}

interface StepPlace {
  readonly onAsked: (approvalId: string) => Promise<void>;
  /** The session it worked in, once known. */
  sessionId?: string | undefined;
}

async function recordedStep(step: PlannedStep, parts: StepParts, place: StepPlace): Promise<ExecutedStep> {
  const startedAt = performance.now();
  const executed = await executeStep(step, parts, place);
  const { status } = executed;
  parts.record(
    {
      ts: new Date().toISOString(),
      capabilityId: step.capabilityId,
      step: step.step,
      latencyMs: executed.skipped ? 0 : Math.round(performance.now() - startedAt),
      failureClass: failureClassOf(executed),
      fallbackUsed: step.fallbackFor !== undefined,
      ...(status !== undefined && { status }),
      ...(executed.attempts !== undefined && { attempts: executed.attempts }),
    },
    step.tool ?? step.route,
    place.sessionId,
  );
  return executed;
}

async function executeStep(step: PlannedStep, parts: StepParts, place: StepPlace): Promise<ExecutedStep> {
  const refused = (failure: Failure) => failedStep(step, failure);
  if (step.missing)
    return { ...refused(fail("task_input_missing", { missing: step.missing }).failure), skipped: true };
  const route = parts.refuseRoute(step);
  if (route) return refused(route);
  const tool = parts.toolOf(step);
  if (!tool)
    return refused(fail("tool_unknown", { tool: step.tool ?? step.route, nearest: [], known: [] }).failure);
  const breaker = { capabilityId: step.capabilityId, tool: step.tool ?? step.route };
  const { pass } = await parts.breakers.admit(breaker);
  if (!pass)
    return refused(fail("capability_resting", { id: step.capabilityId, tool: breaker.tool }).failure);
  const found = await parts.agentFor(step.capabilityId);
  if ("failure" in found) return refused(found.failure);
  const { outcome, attempts } = await callInSession(step, tool, found, parts, place);
  const { sessionId } = place;
  await parts.breakers.settle(breaker, outcome.kind === "done" || !isOurFault(outcome));
  const tried = attempts > 1 ? { attempts } : {};
  if (outcome.kind === "done")
    return { ...placeOf(step), ok: true, status: 200, data: outcome.output, ...tried };
  if (outcome.kind !== "approval") return { ...refused(failureOf(outcome)), ...tried };
  const asked = { callId: callIdOf(parts, step), agent: found.agent, sessionId, onAsked: place.onAsked };
  return approvedStep(step, await parts.askPerson(outcome, asked));
}

/** Some tools need a session only with certain input, such as a file; they refuse without one, and get a new one. */
async function callInSession(
  step: PlannedStep,
  tool: AnyTool,
  found: { agent: RuntimeAgent; toolName: (tool: string) => string },
  parts: StepParts,
  place: StepPlace,
): Promise<{ outcome: GateOutcome; attempts: number }> {
  const callIn = async (sessionId: string | undefined) => {
    place.sessionId = sessionId;
    return withRetries(
      tool,
      (attempt) => call(step, tool, found, { sessionId, attempt }, parts),
      parts.signal,
    );
  };
  const first = await callIn(await parts.sessionFor(tool));
  if (place.sessionId !== undefined || !lacksSession(first.outcome)) return first;
  return callIn(await parts.sessionFor({ requiresContext: true }));
}

const callIdOf = ({ taskId }: StepParts, { step }: PlannedStep): string => `${taskId}:${step}`;

const lacksSession = (outcome: GateOutcome): boolean =>
  outcome.kind === "refused" && outcome.failure.code === "session_required";

function approvedStep(step: PlannedStep, { approvalId, result }: PersonAnswer): ExecutedStep {
  if (!result) {
    const { failure } = fail("approval_needed", { tool: step.tool ?? step.route, id: approvalId });
    return { ...failedStep(step, failure), skipped: true, approvalId };
  }
  return "output" in result
    ? { ...placeOf(step), ok: true, status: 200, data: result.output, approvalId }
    : { ...failedStep(step, result.failure), approvalId };
}

function call(
  step: PlannedStep,
  tool: AnyTool,
  { agent, toolName }: { agent: RuntimeAgent; toolName: (tool: string) => string },
  { sessionId, attempt }: { sessionId: string | undefined; attempt: number },
  parts: StepParts,
): Promise<GateOutcome> {
  const { gate, user, traceparent, startedAt, signal, timeoutMs } = parts;
  const { maxSeconds } = agent.spec.limits;
  const used = (performance.now() - startedAt) / 1000;
  const within = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return gate.call({
    path: "task",
    agent,
    tool: toolName(tool.name),
    input: step.payload as Record<string, JsonValue>,
    user,
    sessionId,
    callId: `${callIdOf(parts, step)}${attempt > 0 && !tool.idempotent ? `:${attempt}` : ""}`,
    signal: within,
    traceparent,
    budgets: maxSeconds === undefined ? [] : [{ name: "time in seconds", used, limit: maxSeconds }],
    step: step.step,
    fallback: step.fallbackFor !== undefined,
  });
}

/** Only an idempotent tool is retried. */
async function withRetries(
  { idempotent }: AnyTool,
  attempt: (number: number) => Promise<GateOutcome>,
  signal: AbortSignal,
): Promise<{ outcome: GateOutcome; attempts: number }> {
  let outcome = await attempt(0);
  let attempts = 1;
  while (attempts < RETRY_WAITS_MS.length && idempotent && mayRetry(outcome) && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_WAITS_MS[attempts]));
    outcome = await attempt(attempts);
    attempts++;
  }
  return { outcome, attempts };
}

/** Missing configuration does not go away by retrying. */
const mayRetry = (outcome: GateOutcome): boolean =>
  outcome.kind === "refused" &&
  RETRIED.has(outcome.failure.status) &&
  outcome.failure.code !== "not_available";

/** A refusal of the caller's input says nothing about the capability's health. */
const isOurFault = (outcome: GateOutcome): boolean =>
  outcome.kind === "refused" && outcome.failure.status >= 500 && !NO_OUTAGE.has(outcome.failure.code);

/** A command that ran and ended with a code has judged its arguments; whether it is down shows in its start, memory and time. */
const NO_OUTAGE: ReadonlySet<string> = new Set(["not_available", "command_failed"]);
