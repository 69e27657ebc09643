/** A run as an A2A task: the run's id is the task's, the session's id the context's. Everything is read from rows. */
import { type Message, type Part, Role, type Task, TaskState } from "@a2a-js/sdk";
import type { RunEvent } from "@capstan/core";
import { type Interrupt, textOf } from "@capstan/core/internal";
import {
  type Database,
  lastEventOf,
  type MessageRecord,
  type RunRecord,
  type Runs,
  type SessionRecord,
} from "@capstan/runtime";

const STATES: Readonly<Record<RunRecord["status"], TaskState>> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_INPUT_REQUIRED,
  done: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

export const isOver = ({ status }: Pick<RunRecord, "status">): boolean =>
  status === "done" || status === "failed" || status === "cancelled";

const MOST_MESSAGES = 1000;

/** The client's id of the conversation. */
export const contextIdOf = ({ id, metadata }: SessionRecord): string => {
  const { thread_id } = (metadata ?? {}) as { thread_id?: unknown };
  return typeof thread_id === "string" ? thread_id : id;
};

export interface A2aTaskParts {
  readonly runs: Runs;
  readonly database: Database;
}

export async function taskOf(
  { runs, database }: A2aTaskParts,
  session: SessionRecord,
  run: RunRecord,
  historyLength?: number | undefined,
): Promise<Task> {
  const [{ items }, last] = await Promise.all([
    runs.messages(session.id, { limit: MOST_MESSAGES }),
    lastEventOf(database, { sessionId: session.id, runId: run.id }),
  ]);
  const contextId = contextIdOf(session);
  const own = items.filter(({ runId }) => runId === run.id);
  const history = own.flatMap((message) => historyMessage(message, contextId, run.id));
  return {
    id: run.id,
    contextId,
    status: {
      state: waitingState(run, last) ?? STATES[run.status],
      message: statusMessage(run, contextId, last),
      timestamp: new Date(run.updatedAt).toISOString(),
    },
    artifacts: artifactsOf(run, own),
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: undefined,
  };
}

const text = (value: string): Part => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});
const data = (value: unknown): Part => ({
  content: { $case: "data", value },
  metadata: undefined,
  filename: "",
  mediaType: "application/json",
});

export const agentMessage = (
  messageId: string,
  parts: Part[],
  { contextId, taskId }: { contextId: string; taskId: string },
): Message => ({
  messageId,
  contextId,
  taskId,
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

function historyMessage(message: MessageRecord, contextId: string, taskId: string): Message[] {
  const words = message.role === "tool" ? "" : textOf(message);
  if (words === "") return [];
  const made = agentMessage(message.id, [text(words)], { contextId, taskId });
  return [message.role === "user" ? { ...made, role: Role.ROLE_USER } : made];
}

function statusMessage(run: RunRecord, contextId: string, last: RunEvent | undefined): Message | undefined {
  const place = { contextId, taskId: run.id };
  if (run.outcome?.type === "failed") {
    const { message, nextStep, code } = run.outcome.failure;
    return agentMessage(`${run.id}-failed`, [text(`${message} ${nextStep}`), data({ code })], place);
  }
  const interrupts = interruptsOf(run, last);
  return interrupts.length > 0 ? question(run.id, interrupts, place) : undefined;
}

const interruptsOf = (run: RunRecord, last: RunEvent | undefined): readonly Interrupt[] =>
  run.status === "waiting" && last?.type === "RUN_FINISHED" && last.outcome?.type === "interrupt"
    ? last.outcome.interrupts
    : [];

/** A task that waits for an account of the user needs more than an answer. */
export const askingState = (interrupts: readonly Interrupt[]): TaskState =>
  interrupts.some(({ reason }) => reason === "connect")
    ? TaskState.TASK_STATE_AUTH_REQUIRED
    : TaskState.TASK_STATE_INPUT_REQUIRED;

function waitingState(run: RunRecord, last: RunEvent | undefined): TaskState | undefined {
  const interrupts = interruptsOf(run, last);
  return interrupts.length > 0 ? askingState(interrupts) : undefined;
}

/** The question to a person, for people and programs: a message with the task's id answers it. */
export function question(
  id: string,
  interrupts: readonly Interrupt[],
  place: { contextId: string; taskId: string },
): Message {
  const asked = interrupts.map(({ reason, message, metadata }) => {
    if (reason === "connect") return `${message} The task then continues.`;
    const { tool, arguments: input } = (metadata ?? {}) as { tool?: string; arguments?: unknown };
    return `${message ?? "It asks first."} Call: ${tool ?? "a tool"}(${JSON.stringify(input ?? {})})`;
  });
  const yes = interrupts.every(({ reason }) => reason === "connect") ? "" : "true | ";
  const edits = yes && ' "editedArgs"?,';
  const how = `Answer with a message of this task: a data part {"approved": ${yes}false,${edits} "reason"?}.`;
  return agentMessage(`${id}-question`, [text([...asked, how].join("\n")), data({ interrupts })], place);
}

/** Structured output is a separate artifact; otherwise the last text is. */
function artifactsOf(run: RunRecord, own: readonly MessageRecord[]): Task["artifacts"] {
  if (run.outcome?.type !== "done") return [];
  const { messageId, output } = run.outcome;
  const said = own.find(({ id }) => id === messageId);
  const parts = [...(said ? [text(textOf(said))] : []), ...(output === undefined ? [] : [data(output)])];
  return parts.length > 0 ? [artifact(messageId, parts)] : [];
}

export const artifact = (artifactId: string, parts: Part[]): Task["artifacts"][number] => ({
  artifactId,
  name: "answer",
  description: "",
  parts,
  metadata: undefined,
  extensions: [],
});

export { data as dataPart, text as textPart };
