/** Tasks: rank, plan, execute, answer. The same key gives the same answer and executes once, even across a restart. */
import { type Capability, type CapabilityRegistry, type Failure, fail, ok, type Result } from "@capstan/core";
import type { ExecutedStep, PlannedStep, TaskRequest, TaskResponse } from "@capstan/core/internal";
import type { Composer } from "../agents/composer.ts";
import { singleCapability } from "../agents/single-capability.ts";
import type { Gate } from "../gate/gate.ts";
import type { Models } from "../providers/models.ts";
import type { Approvals } from "../runs/approvals/approvals.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { UserStore } from "../users/user-store.ts";
import type { BreakerStore } from "./breaker-store.ts";
import { confirmedPlan, proposalOf, proposedSteps } from "./confirm-plan.ts";
import { executeSteps } from "./execute-steps.ts";
import { fillMissing } from "./fill-missing.ts";
import type { GenerateParts } from "./generate.ts";
import { generate } from "./generate.ts";
import { type Planned, type PlanningParts, planTask } from "./plan-task.ts";
import { createTaskChanges, type TaskEvent, type TaskProgress } from "./task-changes.ts";
import { type Outcome, refusedTask, responseOf } from "./task-response.ts";
import { checkSession, type TaskSessionParts, taskSession } from "./task-session.ts";
import type { TaskRecord, TaskStore } from "./task-store.ts";
import { visibleTo } from "./task-visibility.ts";
import { askAndWait } from "./wait-for-approval.ts";

export interface TaskParts extends PlanningParts, TaskSessionParts {
  readonly registry: CapabilityRegistry;
  readonly composer: Composer;
  readonly approvals: Pick<Approvals, "ask" | "get">;
  readonly users: UserStore;
  readonly gate: Gate;
  readonly telemetry: Telemetry;
  readonly models: Pick<Models, "resolve"> & { defaultModel(): Promise<{ readonly demo: boolean }> };
  readonly ledger: GenerateParts["ledger"];
  readonly database: GenerateParts["database"];
  readonly onError: (error: unknown, what: string) => void;
  readonly tasks: TaskStore;
  readonly breakers: BreakerStore;
}

export interface TaskOptions {
  /** The same key gives the same answer and executes once. */
  readonly key?: string | undefined;
  /** W3C's `traceparent` of the request: the steps' spans belong to that trace. */
  readonly traceparent?: string | undefined;
}

export interface TaskRunner {
  /** What would be done, and why; nothing is called. */
  explain(
    request: TaskRequest,
    userEmail: string,
  ): Promise<Result<{ clauses: readonly string[]; response: TaskResponse }>>;
  run(
    request: TaskRequest,
    userEmail: string,
    signal: AbortSignal,
    /** `named` receives the task's id. */
    options?: TaskOptions & { readonly named?: (id: string) => void },
  ): Promise<Result<TaskResponse>>;
  /** Stores the task and executes it in the background; `get` returns its state later. */
  start(request: TaskRequest, userEmail: string, options?: TaskOptions): Promise<Result<TaskRecord>>;
  get(id: string): Promise<Result<TaskRecord>>;
  /** Progress of a task, whenever it changes; ends with its answer. Also for tasks of other processes. */
  follow(id: string, signal: AbortSignal): AsyncGenerator<TaskEvent>;
  close(): void;
}

const SWEEP_MS = 5000;

export function openTaskRunner(parts: TaskParts): TaskRunner {
  const { tasks } = parts;
  const background = new AbortController();
  const changes = createTaskChanges(tasks);
  const finish = async (task: TaskRecord, signal: AbortSignal): Promise<TaskResponse> => {
    const renewing = setInterval(() => void tasks.renew(task.id).catch(() => {}), SWEEP_MS);
    try {
      const response = await execute(parts, task.request as TaskRequest, task.owner, {
        taskId: task.id,
        traceparent: task.traceparent,
        signal,
        onProgress: (progress) => changes.note(task.id, progress),
      });
      await tasks.finish(task.id, response);
      changes.wake(task.id);
      return response;
    } finally {
      clearInterval(renewing);
    }
  };
  const inBackground = (task: TaskRecord) =>
    void finish(task, background.signal).catch((error) => parts.onError(error, `task ${task.id}`));
  const sweep = setInterval(() => {
    tasks.takeAbandoned().then(
      (left) => left.forEach(inBackground),
      (error) => parts.onError(error, "abandoned tasks"),
    );
  }, SWEEP_MS);
  sweep.unref();
  const dryRun = async (request: TaskRequest, email: string) => {
    const dry = await explain(parts, request, email);
    return dry.ok ? ok(dry.value.response) : dry;
  };
  /** A task that cannot be executed at all, for example for an unknown agent, is refused before it is stored. */
  const claim = async (request: TaskRequest, owner: string, options: TaskOptions) => {
    const seen = await visibleTo(parts, request, owner);
    const session = await checkSession(parts, request, owner);
    if (!seen.ok) return seen;
    return session.ok ? tasks.claim({ owner, request, ...options }) : session;
  };

  return {
    explain: (request, email) => explain(parts, { ...request, dryRun: true, includeRejected: true }, email),
    async run(request, email, signal, { named, ...options } = {}) {
      if (request.dryRun) return dryRun(request, email);
      const claimed = await claim(request, email, options);
      if (!claimed.ok) return claimed;
      const { kind, task } = claimed.value;
      named?.(task.id);
      if (kind === "known")
        return task.status === "done" ? ok(task.response as TaskResponse) : stillRunning(task);
      // With a key the caller can ask again for the answer, so a disconnect does not stop the work.
      return ok(await finish(task, options.key === undefined ? signal : background.signal));
    },
    async start(request, email, options = {}) {
      const claimed = await claim(request, email, options);
      if (!claimed.ok) return claimed;
      if (claimed.value.kind === "mine") inBackground(claimed.value.task);
      return ok(claimed.value.task);
    },
    get: (id) => tasks.get(id),
    follow: (id, signal) => changes.follow(id, AbortSignal.any([signal, background.signal])),
    close() {
      clearInterval(sweep);
      background.abort();
    },
  };
}

const stillRunning = ({ id }: TaskRecord): Result<never> =>
  fail("conflict", {
    message: "A task with this Idempotency-Key is already running.",
    nextStep: `GET /api/tasks/${id} returns the result when it is done.`,
  });

async function explain(
  parts: TaskParts,
  request: TaskRequest,
  email: string,
): Promise<Result<{ clauses: readonly string[]; response: TaskResponse }>> {
  const planned = await planTask(parts, request, email);
  if (!planned.ok) return planned;
  for (const step of planned.value.steps) {
    const record = {
      ts: new Date().toISOString(),
      capabilityId: step.capabilityId,
      step: step.step,
      latencyMs: 0,
      failureClass: "dry_run" as const,
      fallbackUsed: false,
    };
    parts.telemetry.record(record, { path: "task", tool: step.route });
  }
  const { why } = proposalOf(planned.value);
  const notes =
    why.length > 0
      ? [...planned.value.notes, "It would be proposed and not executed.", ...why]
      : planned.value.notes;
  return ok({
    clauses: planned.value.clauses,
    response: await responseOf(parts.breakers, request, { ...planned.value, notes }, { executed: [] }),
  });
}

async function execute(
  parts: TaskParts,
  request: TaskRequest,
  email: string,
  execution: Execution,
): Promise<TaskResponse> {
  if (request.dryRun) {
    const dry = await explain(parts, request, email);
    return dry.ok ? dry.value.response : refusedTask(request, dry.failure);
  }
  const answer = (planned: Planned, outcome: Outcome) =>
    responseOf(parts.breakers, request, planned, outcome);
  if (request.confirm !== undefined) {
    const confirmed = await confirmedPlan(parts, request, request.confirm, email);
    if (!confirmed.ok) return refusedTask(request, confirmed.failure);
    return answer(confirmed.value, await executePlan(parts, request, email, confirmed.value, execution));
  }
  const found = await planTask(parts, request, email);
  if (!found.ok) return refusedTask(request, found.failure);
  const { planned, why } = proposalOf(
    await withFilled(parts, request, { planned: found.value, user: email, signal: execution.signal }),
  );
  if (why.length > 0) return answer(planned, proposed(parts, planned, why, execution));
  return answer(planned, await executePlan(parts, request, email, planned, execution));
}

function proposed(
  { telemetry }: TaskParts,
  { steps }: Planned,
  why: readonly string[],
  { taskId }: Execution,
): Outcome {
  const executed = proposedSteps(steps, why);
  for (const step of executed) telemetry.record(skippedRecord(step), { path: "task", tool: step.route });
  return { executed, proposal: { confirm: taskId, why } };
}

const skippedRecord = ({ step, capabilityId, status }: ExecutedStep) => ({
  ts: new Date().toISOString(),
  capabilityId,
  step,
  latencyMs: 0,
  failureClass: "dry_run" as const,
  fallbackUsed: false,
  ...(status !== undefined && { status }),
});

async function executePlan(
  parts: TaskParts,
  request: TaskRequest,
  email: string,
  planned: Planned,
  { taskId, traceparent, signal, onProgress }: Execution,
): Promise<Outcome> {
  const startedAt = performance.now();
  const user = await parts.users.get(email);
  const { capabilityOf } = planned.visible;
  const session = taskSession(parts, request, { email, taskId });
  const executed = await executeSteps(planned.steps, {
    gate: parts.gate,
    breakers: parts.breakers,
    agentFor: (capabilityId) => agentFor(parts, request, capabilityId, email),
    refuseRoute: (step) => refuseRoute(step, capabilityOf(step.capabilityId)),
    toolOf: (step) => toolOf(capabilityOf(step.capabilityId), step),
    sessionFor: session.forTool,
    askPerson: ({ tool, input, why, ask }, { callId, agent, sessionId, onAsked }) =>
      askAndWait(
        parts.approvals,
        { callId, agent, tool, input, why, ask, userEmail: email, sessionId },
        { wait: request.wait, signal, onAsked },
      ),
    user,
    taskId,
    traceparent,
    startedAt,
    signal,
    timeoutMs: request.timeoutMs,
    record: (record, tool, sessionId) =>
      parts.telemetry.record(record, {
        path: "task",
        tool,
        user: email,
        ...(sessionId !== undefined && { sessionId }),
      }),
    onProgress: async (done, next, approvalId) => {
      const { intent, matchedCapabilities, plan, execution } = await responseOf(
        parts.breakers,
        request,
        planned,
        { executed: done },
      );
      const { step, capabilityId, goal } = next;
      const working = { step, capabilityId, goal, ...(approvalId !== undefined && { approvalId }) };
      await onProgress({ intent, matchedCapabilities, plan, execution, working });
    },
  });
  const used = await session.inTheEnd();
  return { executed, ...(used && { session: used }) };
}

interface Execution {
  readonly taskId: string;
  readonly traceparent: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TaskProgress) => Promise<void>;
}

/** What the rules could not find in the task, a configured model may; the demo model is not asked. */
async function withFilled(
  parts: TaskParts,
  { task, agentId = "" }: TaskRequest,
  { planned, user, signal }: { planned: Planned; user: string; signal: AbortSignal },
): Promise<Planned> {
  const { models } = parts;
  if (!planned.steps.some(({ missing }) => missing) || (await models.defaultModel()).demo) return planned;
  const { capabilityOf } = planned.visible;
  const { steps, filled } = await fillMissing(task, planned.steps, {
    inputOf: (step) => toolOf(capabilityOf(step.capabilityId), step)?.input,
    generate: (request) => generate(parts, { agentId, user }, { ...request, signal }),
  });
  return { ...planned, steps, notes: [...planned.notes, ...filled] };
}

async function agentFor(
  { composer }: TaskParts,
  { agentId }: TaskRequest,
  capabilityId: string,
  email: string,
) {
  const composed =
    agentId === undefined
      ? await composer.composeUnsaved(singleCapability(capabilityId, undefined), email)
      : await composer.composeFor(agentId, email);
  if (!composed.ok) return { failure: composed.failure };
  const agent = composed.value;
  const toolName = (tool: string) =>
    agent.tools.find((entry) => entry.capabilityId === capabilityId && entry.tool.name === tool)?.name ??
    tool;
  return { agent, toolName };
}

const toolOf = (capability: Capability | undefined, step: PlannedStep) =>
  capability?.tools.find(({ name }) => name === step.tool) ?? capability?.tools[0];

/** A capability may only call the routes and hosts it declares. */
function refuseRoute(step: PlannedStep, capability: Capability | undefined): Failure | undefined {
  const { allow, route } = capability?.routing ?? {};
  if (route === undefined) return undefined;
  const allowed = step.route.startsWith("/")
    ? (allow?.routes ?? [route]).includes(step.route)
    : (allow?.hosts ?? [new URL(route).host]).includes(new URL(step.route).host);
  return allowed ? undefined : fail("route_refused", { id: step.capabilityId, route: step.route }).failure;
}
