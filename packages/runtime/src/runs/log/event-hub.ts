/**
 * The listeners of each session in this process. Events arrive after their commit: as a batch when this process
 * wrote them, as a hint to read the rows when another one did.
 */

/** Events in a row, each as its JSON; `json[0]` has the sequence number `first`. */
export interface EventBatch {
  readonly first: number;
  readonly last: number;
  readonly runId: string;
  readonly json: readonly string[];
}

export type Listener = (batch: EventBatch | undefined) => void;

export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();

  publish(sessionId: string, batch: EventBatch): void {
    this.#tell(sessionId, batch);
  }

  hint(sessionId: string): void {
    this.#tell(sessionId, undefined);
  }

  /** Returns an unsubscribe function. */
  subscribe(sessionId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(sessionId) ?? new Set();
    this.#listeners.set(sessionId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(sessionId) === listeners) {
        this.#listeners.delete(sessionId);
      }
    };
  }

  sessions(): string[] {
    return [...this.#listeners.keys()];
  }

  #tell(sessionId: string, batch: EventBatch | undefined): void {
    const listeners = this.#listeners.get(sessionId);
    if (listeners) for (const listener of [...listeners]) listener(batch);
  }
}
