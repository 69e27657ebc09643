/**
 * Events between a run and its reader. A full queue pauses the run, so a slow reader slows the agent and loses nothing.
 *
 * If only the result is needed, `flow` drops events, so that a run without a reader does not block.
 */
const HIGH = 1_000;
const LOW = 100;

export class EventQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  readonly #onRoom: () => void;
  #wake: (() => void) | undefined;
  #ended = false;
  #held = false;
  #readers = 0;
  #flowing = false;

  /** `onRoom` is called when a paused run may continue. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  push(item: T): void {
    this.#items.push(item);
    if (this.#isUnread && this.#items.length > HIGH) this.#items.shift();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** True when the run must wait for its reader; `onRoom` will be called. */
  hold(): boolean {
    this.#held = this.#items.length >= HIGH && !this.#isUnread;
    return this.#held;
  }

  /** Nobody waits for the events: without a reader, older ones are dropped. */
  flow(): void {
    this.#flowing = true;
    if (this.#readers === 0) this.#release();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    this.#readers += 1;
    try {
      for (;;) {
        while (this.#items.length > 0) {
          const item = this.#items.shift() as T;
          if (this.#items.length <= LOW) this.#release();
          yield item;
        }
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      this.#readers -= 1;
      this.flow(); // a reader who left must not block the run
    }
  }

  get #isUnread(): boolean {
    return this.#flowing && this.#readers === 0;
  }

  #release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#onRoom();
  }
}
