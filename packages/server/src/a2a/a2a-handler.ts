/**
 * A2A over sessions and runs: a message starts a run, the run is the task. No state in memory, so any process
 * can answer for any task. Optional features (push notifications, an extended card) are refused by name.
 */
import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import type { Failure, RunEvent } from "@capstan/core";
import { isTerminal } from "@capstan/core/internal";
import {
  type Database,
  type EventBatch,
  listRunsOfAgent,
  pendingQuestions,
  type RunRecord,
  type Runs,
  type SessionRecord,
  type SessionStore,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import { isBegunBy, threadSession } from "../ag-ui/thread-session.ts";
import { keptUploads, type UploadParts } from "../sessions/kept-uploads.ts";
import { answerOf, contentOf } from "./a2a-message.ts";
import { checkConfiguration, NO_PUSH, pageOf, storedStatus } from "./a2a-requests.ts";
import { contextIdOf, isOver, taskOf } from "./a2a-task.ts";
import { TaskUpdates } from "./task-updates.ts";

export interface A2aHandlerParts extends UploadParts {
  readonly runs: Runs;
  readonly database: Database;
  readonly sessions: SessionStore;
}

export interface A2aPlace {
  readonly services: A2aHandlerParts;
  readonly agentId: string;
  readonly email: string;
  /** The login of a client: it sees the tasks that it started. */
  readonly client?: string | undefined;
  readonly isAdmin: boolean;
  readonly card: AgentCard;
  /** Ends streams: the client left, or the server stops. */
  readonly signal: AbortSignal;
  /** The trace that the request is part of. */
  readonly traceparent: string | undefined;
}

export class A2aHandler implements A2ARequestHandler {
  readonly #place: A2aPlace;

  constructor(place: A2aPlace) {
    this.#place = place;
  }

  getAgentCard = async (): Promise<AgentCard> => this.#place.card;

  async sendMessage(params: SendMessageRequest): Promise<Task> {
    const started = await this.#start(params);
    const { services } = this.#place;
    const { returnImmediately = false, historyLength } = params.configuration ?? {};
    if (!returnImmediately && !started.held) for await (const _ of this.#eventsOf(started));
    return taskOf(services, started.session, await this.#run(started.runId), historyLength);
  }

  async *sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const started = await this.#start(params);
    yield* this.#stream(started);
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    const { run, session } = await this.#find(id);
    return taskOf(this.#place.services, session, run, historyLength);
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { run, session } = await this.#find(id);
    if (isOver(run)) throw new TaskNotCancelableError(`The task ${id} is over.`);
    const { services, email } = this.#place;
    await services.runs.cancel(session.id, { by: email, queued: run.status === "queued" });
    return taskOf(services, session, await this.#run(id));
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { run, session } = await this.#find(id);
    if (isOver(run)) throw new UnsupportedOperationError(`The task ${id} is over: get it instead.`);
    const { runs } = this.#place.services;
    const events = runs.events(session.id, 0, this.#place.signal);
    yield* this.#stream({ session, runId: id, events, held: false });
  }

  async listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    const { services, agentId, email, client = null } = this.#place;
    const { contextId, status, historyLength } = params;
    const { at, limit, changedAfter } = pageOf(params);
    const stored = storedStatus(status);
    if (stored === undefined) return { tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0 };
    const { ids, total } = await listRunsOfAgent(services.database, {
      owner: email,
      agentId,
      client,
      status: stored,
      thread: contextId === "" ? null : contextId,
      changedAfter,
      limit,
      offset: at,
    });
    const tasks = await Promise.all(
      ids.map(async (id) => {
        const { run, session } = await this.#find(id);
        const task = await taskOf(services, session, run, historyLength ?? 0);
        return params.includeArtifacts ? task : { ...task, artifacts: [] };
      }),
    );
    const next = at + tasks.length < total && tasks.length > 0 ? String(at + tasks.length) : "";
    const shown = tasks.filter((task) => stored === null || task.status?.state === status);
    return { tasks: shown, nextPageToken: next, pageSize: shown.length, totalSize: total };
  }

  getAuthenticatedExtendedAgentCard = async (): Promise<never> => {
    throw new ExtendedAgentCardNotConfiguredError("This agent has one card.");
  };
  createTaskPushNotificationConfig = noPush;
  getTaskPushNotificationConfig = noPush;
  listTaskPushNotificationConfigs = noPush;
  deleteTaskPushNotificationConfig = noPush;

  async #start({ message, configuration }: SendMessageRequest): Promise<Started> {
    if (!message) throw new RequestMalformedError("message is required");
    if (message.role !== Role.ROLE_USER)
      throw new RequestMalformedError("message.role: only a user's message can be sent to an agent");
    checkConfiguration(configuration, this.#place.card);
    return message.taskId === "" ? this.#begin(message) : this.#continueTask(message);
  }

  async #begin(message: Message): Promise<Started> {
    const { services, agentId, email, client, signal, traceparent } = this.#place;
    const { runs } = services;
    const threadId = message.contextId === "" ? uuidv7() : message.contextId;
    const session = await threadSession(services, { agentId, owner: email, threadId, client });
    if (!session.ok) throw refused(session.failure);
    const id = message.messageId === "" ? uuidv7() : message.messageId;
    const parts = contentOf(message);
    if (!parts.ok) throw refused(parts.failure);
    const content = await keptUploads(services, session.value, id, parts.value);
    if (!content.ok) throw refused(content.failure);
    const kept = { id, content: content.value };
    const sent = await runs.sendAndFollow(session.value.id, kept, { traceparent }, signal);
    if (!sent.ok) throw refused(sent.failure);
    const { runId, status, events } = sent.value;
    const known = status === "known" ? runs.events(session.value.id, 0, signal) : events;
    const held =
      status === "queued" && (await pendingQuestions(services, session.value.id)).runId !== undefined;
    return { session: session.value, runId, events: known, held };
  }

  /** A message to a task that asked is its answer; any other starts a new task. */
  async #continueTask(message: Message): Promise<Started> {
    const { services, email, isAdmin, signal } = this.#place;
    const { run, session } = await this.#find(message.taskId);
    const { approvals } = await pendingQuestions(services, session.id);
    if (run.status !== "waiting" || approvals.length === 0)
      throw new UnsupportedOperationError(
        `The task ${run.id} is not waiting for a message: send one without a task id to start another in its context.`,
      );
    const after = await services.runs.lastSeq(session.id);
    const answer = answerOf(message);
    if (!answer.ok) throw refused(answer.failure);
    const { approve, words, editedArguments } = answer.value;
    if (editedArguments !== undefined && approvals.length > 1)
      throw new RequestMalformedError(
        `editedArgs: this task asks about ${approvals.length} calls, and the arguments are of one. Answer each at /v1/approvals/{id}: ${approvals.map(({ id }) => id).join(", ")}.`,
      );
    const decision = { approve, by: email, isAdmin, words, editedArguments };
    for (const { id } of approvals) {
      const checked = await services.runs.approvals.check(id, decision);
      if (!checked.ok) throw refused(checked.failure);
    }
    for (const { id } of approvals) {
      const answered = await services.runs.approvals.answer(id, decision);
      if (!answered.ok && answered.failure.code !== "approval_decided") throw refused(answered.failure);
    }
    return { session, runId: run.id, events: services.runs.events(session.id, after, signal), held: false };
  }

  async *#stream(started: Started): AsyncGenerator<StreamResponse, void, undefined> {
    const { session, runId } = started;
    const task = await taskOf(this.#place.services, session, await this.#run(runId), 0);
    const fresh = { ...task, artifacts: [] };
    yield { payload: { $case: "task", value: isOverTask(task) ? task : fresh } };
    if (isOverTask(task)) return;
    const updates = new TaskUpdates({ taskId: runId, contextId: contextIdOf(session) });
    for await (const event of this.#eventsOf(started)) yield* updates.take(event);
  }

  /** The run's events up to the one that ends or pauses it; a pause that was already answered is skipped. */
  async *#eventsOf({ events, runId }: Started): AsyncGenerator<RunEvent> {
    for await (const batch of events) {
      if (batch.runId !== runId) continue;
      for (const json of batch.json) {
        const event = JSON.parse(json) as RunEvent;
        yield event;
        if (isTerminal(event) && !(await this.#hasContinued(runId, event))) return;
      }
    }
  }

  async #hasContinued(runId: string, event: RunEvent): Promise<boolean> {
    if (event.type !== "RUN_FINISHED" || event.outcome?.type !== "interrupt") return false;
    return (await this.#run(runId)).status !== "waiting";
  }

  async #run(id: string): Promise<RunRecord> {
    const run = await this.#place.services.runs.run(id);
    if (!run.ok) throw unknownTask(id);
    return run.value;
  }

  /** A task of another agent or user is treated as missing. */
  async #find(id: string): Promise<{ run: RunRecord; session: SessionRecord }> {
    const run = await this.#run(id);
    const session = await this.#place.services.sessions.get(run.sessionId);
    const { agentId, email, client } = this.#place;
    if (!session.ok || session.value.owner !== email || run.agentId !== agentId) throw unknownTask(id);
    if (!isBegunBy(client, session.value.metadata)) throw unknownTask(id);
    return { run, session: session.value };
  }
}

interface Started {
  readonly session: SessionRecord;
  readonly runId: string;
  readonly events: AsyncIterable<EventBatch>;
  /** It is queued behind a run that waits for a person: not awaited. */
  readonly held: boolean;
}

const unknownTask = (id: string): Error => new TaskNotFoundError(`There is no task "${id}" of this agent.`);

const noPush = async (): Promise<never> => {
  throw new PushNotificationNotSupportedError(NO_PUSH);
};

const refused = ({ message, nextStep }: Failure): Error =>
  new RequestMalformedError(`${message} ${nextStep}`);

const OVER = new Set<TaskState | undefined>([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
]);
const isOverTask = ({ status }: Task): boolean => OVER.has(status?.state);
