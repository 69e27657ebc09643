/** Tasks: rank, plan, execute, answer. The same key gives the same answer and executes once, also across a restart. */
import { timezoneOf } from "@capstan/builtins";
import { type Capability, type Failure, fail, ok, plan, type Result } from "@capstan/core";
import {
  type ExecutedStep,
  intentOf,
  matchedCapabilities,
  missingScopes,
  type PlannedStep,
  type RankResult,
  type TaskRequest,
  type TaskResponse,
  taskStatus,
} from "@capstan/core/internal";
import { type BreakerStore, executeSteps, type TaskRecord, type TaskStore } from "@capstan/runtime";
import { singleCapability } from "../capabilities/single-capability.ts";
import { generate } from "../models/generate.ts";
import type { Services } from "../start/services.ts";
import { fillMissing } from "./fill-missing.ts";
import { type EntryId, rankCapabilities } from "./route-index.ts";
import type { TieredIndex } from "./route-tier.ts";
import { openTaskChanges, type TaskEvent, type TaskProgress } from "./task-changes.ts";
import type { ToolChooser } from "./tool-choice.ts";

export interface TaskParts
  extends Pick<Services, "registry" | "composer" | "users" | "gate" | "telemetry" | "log" | "models"> {
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
    void finish(task, background.signal).catch((error) =>
      parts.log.error({ what: `task ${task.id}`, error }),
    );
  const sweep = setInterval(() => {
    tasks.takeAbandoned().then(
      (left) => left.forEach(inBackground),
      (error) => parts.log.error({ what: "abandoned tasks", error }),
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

interface Visible {
  readonly sees: (id: string) => boolean;
  /** With the tools that the caller may call, and no others. */
  readonly capabilityOf: (id: string) => Capability | undefined;
}

/** What the caller may use: all capabilities whose scopes the user has, or those of the named agent. */
async function visibleTo(
  { registry, composer, users }: TaskParts,
  { agentId }: TaskRequest,
  email: string,
): Promise<Result<Visible>> {
  const capabilityOf = (id: string) => {
    const found = registry.get(id);
    return found.ok ? found.value : undefined;
  };
  const withTools = (id: string, isVisible: (name: string, scopes: readonly string[]) => boolean) => {
    const found = capabilityOf(id);
    return found && { ...found, tools: found.tools.filter(({ name, scopes }) => isVisible(name, scopes)) };
  };
  if (agentId !== undefined) {
    const composed = await composer.composeFor(agentId, email);
    if (!composed.ok) return composed;
    const { tools } = composed.value;
    const ids = new Set(tools.map(({ capabilityId }) => capabilityId));
    const names = new Set(tools.map(({ capabilityId, tool }) => `${capabilityId} ${tool.name}`));
    return ok({
      sees: (id) => ids.has(id),
      capabilityOf: (id) => withTools(id, (name) => names.has(`${id} ${name}`)),
    });
  }
  const { scopes } = await users.get(email);
  const has = (needed: readonly string[]) => missingScopes(needed, scopes).length === 0;
  return ok({
    sees: (id) => {
      const found = capabilityOf(id);
      return found !== undefined && has(found.requiredScopes);
    },
    capabilityOf: (id) => withTools(id, (_, needed) => has(needed)),
  });
}

interface Planned {
  readonly ranked: RankResult;
  readonly steps: readonly PlannedStep[];
  readonly visible: Visible;
  /** What a model filled in. */
  readonly filled?: readonly string[];
}

/** Asked for every entry of the index, so each capability is looked at once. */
function entryVisible({ sees, capabilityOf }: Visible): (entry: EntryId) => boolean {
  const tools = new Map<string, ReadonlySet<string> | undefined>();
  return ({ capabilityId, tool }) => {
    if (!tools.has(capabilityId)) {
      const names = sees(capabilityId)
        ? capabilityOf(capabilityId)?.tools.map(({ name }) => name)
        : undefined;
      tools.set(capabilityId, names && new Set(names));
    }
    const open = tools.get(capabilityId);
    return open !== undefined && (tool === undefined || open.has(tool));
  };
}

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
    hints: { timezoneOf },
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
  return ok({ ranked: planned.value.ranked, response: await responseOf(parts, request, planned.value, []) });
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
        parts,
        request,
        planned,
        done,
      );
      const working = { step: next.step, capabilityId: next.capabilityId, goal: next.goal };
      await onProgress({ intent, matchedCapabilities, plan, execution, working });
    },
  });
  return responseOf(parts, request, planned, steps);
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

async function responseOf(
  parts: TaskParts,
  request: TaskRequest,
  { ranked, steps: planned, visible, filled = [] }: Planned,
  executed: readonly ExecutedStep[],
): Promise<TaskResponse> {
  const steps = planned.map(({ tool: _, ...step }) => step);
  const status = taskStatus(steps, executed, request.dryRun);
  const failures = executed.flatMap(({ ok, step, capabilityId, error }) =>
    ok || !error ? [] : [{ step, capabilityId, code: error.code, message: error.message }],
  );
  const breakers = (await parts.breakers.list()).filter(({ state }) => state !== "closed");
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

function refusedTask(request: TaskRequest, { code, message, nextStep }: Failure): TaskResponse {
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
