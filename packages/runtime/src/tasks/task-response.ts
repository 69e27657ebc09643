/** The response to a task, from what was planned and executed so far. */
import type { Failure } from "@capstan/core";
import { type ExecutedStep, type TaskRequest, type TaskResponse, taskStatus } from "@capstan/core/internal";
import type { BreakerStore } from "./breaker-store.ts";
import type { Planned } from "./plan-task.ts";

export interface Outcome {
  readonly executed: readonly ExecutedStep[];
  readonly proposal?: TaskResponse["proposal"];
  readonly session?: TaskResponse["session"];
}

export async function responseOf(
  breakerStore: Pick<BreakerStore, "list">,
  request: TaskRequest,
  planned: Planned,
  { executed, proposal, session }: Outcome,
): Promise<TaskResponse> {
  const { intent, matched, steps, unserved, rejected } = planned;
  const { dryRun } = request;
  const status = taskStatus(steps, executed, { dryRun, unserved: unserved.length });
  const breakers = (await breakerStore.list()).filter(({ state }) => state !== "closed");
  return {
    intent,
    matchedCapabilities: matched,
    plan: steps,
    execution: { dryRun, steps: executed },
    status,
    ...(proposal && { proposal }),
    ...(session && { session }),
    diagnostics: {
      degraded: status === "degraded" || status === "partial",
      notes: [...notesOf(planned, executed, proposal), ...newSessionNote(request, session)],
      failures: failuresOf(executed),
      ...(unserved.length > 0 && { unserved }),
      ...(fallbackUsed(planned, executed) && { fallbackUsed: true }),
      ...(breakers.length > 0 && {
        breakers: breakers.map(({ capabilityId, tool, state, failures }) => ({
          capabilityId,
          tool,
          state,
          failures,
        })),
      }),
      ...(rejected && { rejected }),
    },
  };
}

/** A new session has no files yet: what was read or deleted there was not what the caller has elsewhere. */
const newSessionNote = ({ sessionId }: TaskRequest, session: TaskResponse["session"]): string[] =>
  session && sessionId === undefined
    ? [
        `It worked in a new session, ${session.id}. Name a session to work on its files (\`sessionId\`, \`--session\`).`,
      ]
    : [];

const failuresOf = (executed: readonly ExecutedStep[]): TaskResponse["diagnostics"]["failures"] =>
  executed.flatMap(({ ok, step, capabilityId, error }) =>
    ok || !error ? [] : [{ step, capabilityId, code: error.code, message: error.message }],
  );

const fallbackUsed = ({ steps }: Planned, executed: readonly ExecutedStep[]): boolean =>
  executed.some(({ step }) => steps.find((planned) => planned.step === step)?.fallbackFor !== undefined);

function notesOf(
  { notes, unserved, steps }: Planned,
  executed: readonly ExecutedStep[],
  proposal: TaskResponse["proposal"],
): string[] {
  return [
    ...notes,
    ...unserved.map((part) => `Not done: no capability serves "${part}".`),
    ...(proposal?.why ?? []),
    ...steps.flatMap(({ step, missing }) => (missing ? [`Step ${step} lacks ${missing.join(", ")}.`] : [])),
    ...new Set(
      executed.flatMap(({ ok, step, error }) => (ok || !error ? [] : [`Step ${step}: ${error.nextStep}`])),
    ),
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
