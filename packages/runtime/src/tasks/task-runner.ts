/** Tasks: rank, plan, execute, answer. The same key gives the same answer and executes once, also across a restart. */
import {
  type Capability,
  type CapabilityRegistry,
  type Failure,
  fail,
  ok,
  plan,
  type Result,
} from "@capstan/core";
import type { PlannedStep, RankResult, TaskRequest, TaskResponse } from "@capstan/core/internal";
import type { Composer } from "../agents/composer.ts";
import { singleCapability } from "../agents/single-capability.ts";
import type { Gate } from "../gate/gate.ts";
import { generate } from "../providers/generate.ts";
import type { Models } from "../providers/models.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { UserStore } from "../users/user-store.ts";
import type { BreakerStore } from "./breaker-store.ts";
import { executeSteps } from "./execute-steps.ts";
import { fillMissing } from "./fill-missing.ts";
import { rankCapabilities } from "./route-index.ts";
import type { TieredIndex } from "./route-tier.ts";
import { openTaskChanges, type TaskEvent, type TaskProgress } from "./task-changes.ts";
import { type Planned, refusedTask, responseOf } from "./task-response.ts";
import type { TaskRecord, TaskStore } from "./task-store.ts";
import { entryVisible, visibleTo } from "./task-visibility.ts";
import type { ToolChooser } from "./tool-choice.ts";

export interface TaskParts {
  readonly registry: CapabilityRegistry;
  readonly composer: Composer;
  readonly users: UserStore;
  readonly gate: Gate;
  readonly telemetry: Telemetry;
  readonly models: Pick<Models, "resolve"> & { defaultModel(): Promise<{ readonly demo: boolean }> };
  /** The time zone of a place that a task names. */
  readonly timezoneOf: (place: string) => string | undefined;
  readonly onError: (error: unknown, what: string) => void;
  /** Made at the first task: it reads megabytes of embeddings that most starts do not need. */
  readonly index: () => TieredIndex;
  readonly chooseTool: ToolChooser;
  readonly tasks: TaskStore;
  readonly breakers: BreakerStore;
}

export interface TaskRunner {
  /** What would be done, and why; nothing is called. */
  explain(
    request: TaskRequest,
    userEmail: string,
  ): Promise<Result<{ ranked: RankResult; response: TaskResponse }>>;
  run(
    request: TaskRequest,
    userEmail: string,
    signal: AbortSignal,
    key?: string,
  ): Promise<Result<TaskResponse>>;
  /** Stores the task and executes it in the background; `get` answers it later. */
  start(request: TaskRequest, userEmail: string, key?: string): Promise<Result<TaskRecord>>;
  get(id: string): Promise<Result<TaskRecord>>;
  /** How far a task is, whenever that changes; ends with its answer. Also for a task that another process runs. */
  follow(id: string, signal: AbortSignal): AsyncGenerator<TaskEvent>;
  close(): void;
}

const SWEEP_MS = 5000;

export function openTaskRunner(parts: TaskParts): TaskRunner {
  const { tasks } = parts;
  const background = new AbortController();
  const changes = openTaskChanges(tasks);
  const finish = async (task: TaskRecord, signal: AbortSignal): Promise<TaskResponse> => {
    const renewing = setInterval(() => void tasks.renew(task.id).catch(() => {}), SWEEP_MS);
    try {
      const response = await execute(parts, task.request as TaskRequest, task.owner, {
        taskId: task.id,
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
  /** What cannot be executed at all, such as a task for an agent that is not there, is refused before it is kept. */
  const claim = async (request: TaskRequest, owner: string, key: string | undefined) => {
    const seen = await visibleTo(parts, request, owner);
    return seen.ok ? tasks.claim({ owner, key, request }) : seen;
  };

  return {
    explain: (request, email) => explain(parts, { ...request, dryRun: true, includeRejected: true }, email),
    async run(request, email, signal, key) {
      if (request.dryRun) return dryRun(request, email);
      const claimed = await claim(request, email, key);
      if (!claimed.ok) return claimed;
      const { kind, task } = claimed.value;
      if (kind === "known")
        return task.status === "done" ? ok(task.response as TaskResponse) : stillRunning(task);
      // Under a key the caller may ask again for the answer, so one that hangs up does not stop the work.
      return ok(await finish(task, key === undefined ? signal : background.signal));
    },
    async start(request, email, key) {
      const claimed = await claim(request, email, key);
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
    message: "A task with this Idempotency-Key is being executed.",
    nextStep: `GET /api/tasks/${id} answers when it is done.`,
  });

async function planTask(parts: TaskParts, request: TaskRequest, email: string): Promise<Result<Planned>> {
  const visible = await visibleTo(parts, request, email);
  if (!visible.ok) return visible;
  const index = await parts.index().forTask(request.task);
  const ranked = rankCapabilities(request.task, index, {
    topK: request.topK,
    rejected: request.includeRejected,
    visible: entryVisible(visible.value),
  });
  const steps = plan(ranked, request.task, {
    capabilityOf: visible.value.capabilityOf,
    hints: { timezoneOf: parts.timezoneOf, now: new Date() },
    chooseTool: parts.chooseTool,
  });
  return ok({ ranked, steps, visible: visible.value });
}

async function explain(
  parts: TaskParts,
  request: TaskRequest,
  email: string,
): Promise<Result<{ ranked: RankResult; response: TaskResponse }>> {
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
  return ok({
    ranked: planned.value.ranked,
    response: await responseOf(parts.breakers, request, planned.value, []),
  });
}

async function execute(
  parts: TaskParts,
  request: TaskRequest,
  email: string,
  { taskId, signal, onProgress }: Execution,
): Promise<TaskResponse> {
  const startedAt = performance.now();
  if (request.dryRun) {
    const dry = await explain(parts, request, email);
    return dry.ok ? dry.value.response : refusedTask(request, dry.failure);
  }
  const ranked = await planTask(parts, request, email);
  if (!ranked.ok) return refusedTask(request, ranked.failure);
  const planned = await withFilled(parts, request, ranked.value, signal);
  const user = await parts.users.get(email);
  const { capabilityOf } = planned.visible;
  const steps = await executeSteps(planned.steps, {
    gate: parts.gate,
    breakers: parts.breakers,
    agentFor: (capabilityId) => agentFor(parts, request, capabilityId, email),
    refuseRoute: (step) => refuseRoute(step, capabilityOf(step.capabilityId)),
    toolOf: (step) => toolOf(capabilityOf(step.capabilityId), step),
    user,
    taskId,
    startedAt,
    signal,
    timeoutMs: request.timeoutMs,
    onProgress: async (done, next) => {
      const { intent, matchedCapabilities, plan, execution } = await responseOf(
        parts.breakers,
        request,
        planned,
        done,
      );
      const working = { step: next.step, capabilityId: next.capabilityId, goal: next.goal };
      await onProgress({ intent, matchedCapabilities, plan, execution, working });
    },
  });
  return responseOf(parts.breakers, request, planned, steps);
}

interface Execution {
  readonly taskId: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TaskProgress) => Promise<void>;
}

/** What the rules could not read from the task, a configured model may; the demo model is not asked. */
async function withFilled(
  { models }: TaskParts,
  { task }: TaskRequest,
  planned: Planned,
  signal: AbortSignal,
): Promise<Planned> {
  if (!planned.steps.some(({ missing }) => missing) || (await models.defaultModel()).demo) return planned;
  const { capabilityOf } = planned.visible;
  const { steps, filled } = await fillMissing(task, planned.steps, {
    inputOf: (step) => toolOf(capabilityOf(step.capabilityId), step)?.input,
    generate: (request) => generate(models, { ...request, signal }),
  });
  return { ...planned, steps, filled };
}

async function agentFor(
  { composer }: TaskParts,
  { agentId }: TaskRequest,
  capabilityId: string,
  email: string,
) {
  const composed =
    agentId === undefined
      ? await composer.preview(singleCapability(capabilityId, undefined), email)
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

/** A capability calls the routes and hosts it declares, and no others. */
function refuseRoute(step: PlannedStep, capability: Capability | undefined): Failure | undefined {
  const { allow, route } = capability?.routing ?? {};
  if (route === undefined) return undefined;
  const allowed = step.route.startsWith("/")
    ? (allow?.routes ?? [route]).includes(step.route)
    : (allow?.hosts ?? [new URL(route).host]).includes(new URL(step.route).host);
  return allowed ? undefined : fail("route_refused", { id: step.capabilityId, route: step.route }).failure;
}
