/**
 * The progress of a task, for its followers. The row is the truth: a task of another process is polled,
 * one of this process notifies its followers immediately.
 */
import type { ExecutedStep, TaskResponse } from "@capstan/core/internal";
import type { TaskRecord, TaskStore } from "./task-store.ts";

/** A task in progress, as stored in its row until it is answered. */
export interface TaskProgress
  extends Pick<TaskResponse, "intent" | "matchedCapabilities" | "plan" | "execution"> {
  readonly working: {
    readonly step: number;
    readonly capabilityId: string;
    readonly goal: string;
    /** Set while a person is asked. */
    readonly approvalId?: string;
  };
}

export type TaskEvent =
  | ({ readonly type: "planned" } & Pick<TaskResponse, "intent" | "matchedCapabilities" | "plan">)
  | ({ readonly type: "step-started" } & Omit<TaskProgress["working"], "approvalId">)
  | { readonly type: "approval-needed"; readonly step: number; readonly approvalId: string }
  | ({ readonly type: "step-ended" } & ExecutedStep)
  | { readonly type: "done"; readonly response: TaskResponse };

export interface TaskChanges {
  note(id: string, progress: TaskProgress): Promise<void>;
  wake(id: string): void;
  follow(id: string, signal: AbortSignal): AsyncGenerator<TaskEvent>;
}

const LOOK_MS = 500; // maximum delay of updates from another process

export function createTaskChanges(tasks: TaskStore): TaskChanges {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (id: string) => {
    for (const resume of waiting.get(id) ?? []) resume();
  };
  const change = (id: string, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const followers = waiting.get(id) ?? new Set();
      const resume = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", resume);
        followers.delete(resume);
        if (followers.size === 0) waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(resume, LOOK_MS);
      signal.addEventListener("abort", resume);
      waiting.set(id, followers.add(resume));
    });

  return {
    wake,
    async note(id, progress) {
      await tasks.note(id, progress);
      wake(id);
    },
    async *follow(id, signal) {
      const told = newEventTracker();
      while (!signal.aborted) {
        const found = await tasks.get(id);
        if (!found.ok) return;
        yield* told(found.value);
        if (found.value.status === "done") return;
        await change(id, signal);
      }
    },
  };
}

/** Turns each poll of the row into new events. */
function newEventTracker(): (task: TaskRecord) => Generator<TaskEvent> {
  const told = new Set<string>();
  return function* ({ status, response }) {
    if (!response) return;
    for (const [name, event] of eventsOf(response as Stored, status)) {
      if (told.has(name)) continue;
      told.add(name);
      yield event;
    }
  };
}

type Stored = TaskResponse & Partial<TaskProgress>;

/** Everything in a row, in order, each under its own name. */
function* eventsOf(
  stored: Stored,
  status: TaskRecord["status"],
): Generator<[name: string, event: TaskEvent]> {
  const { intent, matchedCapabilities, plan, execution, working } = stored;
  const started = ({ step, capabilityId }: { step: number; capabilityId: string }): [string, TaskEvent] => {
    const goal = plan.find((entry) => entry.step === step)?.goal ?? "";
    return [`started ${step}`, { type: "step-started", step, capabilityId, goal }];
  };
  yield ["planned", { type: "planned", intent, matchedCapabilities, plan }];
  for (const step of execution.steps) {
    yield started(step);
    yield [`ended ${step.step}`, { type: "step-ended", ...step }];
  }
  if (working) yield started(working);
  if (working?.approvalId !== undefined) {
    const { step, approvalId } = working;
    yield [`approval ${approvalId}`, { type: "approval-needed", step, approvalId }];
  }
  if (status === "done") yield ["done", { type: "done", response: stored }];
}
