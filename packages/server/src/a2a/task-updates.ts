/**
 * A run's events as A2A stream updates. Text grows as an artifact, delta by delta; when a provider's stream broke and the
 * answer starts over, the partial text is cleared.
 */
import { type StreamResponse, TaskState } from "@a2a-js/sdk";
import type { RunEvent } from "@capstan/core";
import { artifact, askingState, dataPart, question, textPart } from "./a2a-task.ts";

export class TaskUpdates {
  readonly #place: { readonly taskId: string; readonly contextId: string };
  readonly #shown = new Set<string>();

  constructor(place: { taskId: string; contextId: string }) {
    this.#place = place;
  }

  /** Empty when the event is irrelevant to A2A; a status that ends or pauses the task comes last. */
  take(event: RunEvent): StreamResponse[] {
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
        return [this.#grow(event.messageId, event.delta)];
      case "TEXT_MESSAGE_END":
        return this.#shown.has(event.messageId) ? [this.#grow(event.messageId, "", true)] : [];
      case "MESSAGES_SNAPSHOT":
        return this.#emptied(new Set(event.messages.map(({ id }) => id)));
      case "RUN_ERROR":
        return [this.#status(TaskState.TASK_STATE_FAILED, event.message)];
      case "RUN_FINISHED":
        return this.#finished(event);
      default:
        return [];
    }
  }

  #grow(messageId: string, words: string, lastChunk = false): StreamResponse {
    const append = this.#shown.has(messageId);
    this.#shown.add(messageId);
    return this.#artifact(messageId, words, append, lastChunk);
  }

  #emptied(standing: ReadonlySet<string>): StreamResponse[] {
    const gone = [...this.#shown].filter((id) => !standing.has(id));
    for (const id of gone) this.#shown.delete(id);
    return gone.map((id) => this.#artifact(id, "", false, true));
  }

  #artifact(id: string, words: string, append: boolean, lastChunk: boolean): StreamResponse {
    const value = { ...this.#place, artifact: artifact(id, [textPart(words)]), append, lastChunk };
    return { payload: { $case: "artifactUpdate", value: { ...value, metadata: undefined } } };
  }

  #finished({ outcome, result }: Extract<RunEvent, { type: "RUN_FINISHED" }>): StreamResponse[] {
    if (outcome?.type === "cancelled") return [this.#status(TaskState.TASK_STATE_CANCELED)];
    if (outcome?.type === "interrupt") {
      const status = this.#status(askingState(outcome.interrupts));
      const asked = question(this.#place.taskId, outcome.interrupts, this.#place);
      if (status.payload?.$case === "statusUpdate" && status.payload.value.status)
        status.payload.value.status.message = asked;
      return [status];
    }
    const done = this.#status(TaskState.TASK_STATE_COMPLETED);
    if (result === undefined) return [done];
    const made = artifact(`${this.#place.taskId}-result`, [dataPart(result)]);
    const value = { ...this.#place, artifact: made, append: false, lastChunk: true, metadata: undefined };
    return [{ payload: { $case: "artifactUpdate", value } }, done];
  }

  #status(state: TaskState, words?: string): StreamResponse {
    const { taskId } = this.#place;
    const message =
      words === undefined
        ? undefined
        : {
            messageId: `${taskId}-failed`,
            ...this.#place,
            role: 2,
            parts: [textPart(words)],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          };
    const status = { state, message, timestamp: new Date().toISOString() };
    return { payload: { $case: "statusUpdate", value: { ...this.#place, status, metadata: undefined } } };
  }
}
