/**
 * Events between a run and its reader. A full queue tells the run to wait, so a slow reader slows the agent and loses nothing.
 *
 * Whoever only wants the result lets events pass: `flow` keeps a run without a reader from waiting for one.
 */
const HIGH = 1_000;
const LOW = 100;

export class EventQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  readonly #onRoom: () => void;
  #wake: (() => void) | undefined;
  #ended = false;
  #readers = 0;
  #flowing = false;

  /** `onRoom` is called when a queue that was full has room again. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  get isFull(): boolean {
    return this.#items.length >= HIGH;
  }

  push(item: T): void {
    this.#items.push(item);
    if (this.#flowing && this.#readers === 0 && this.#items.length > HIGH) this.#items.shift();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Nobody waits for the events: when there is no reader, older ones are let go. */
  flow(): void {
    this.#flowing = true;
    if (this.#readers === 0) this.#onRoom();
  }

  /** True when the run must wait for its reader. */
  get mustWait(): boolean {
    return this.isFull && !(this.#flowing && this.#readers === 0);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    this.#readers += 1;
    try {
      for (;;) {
        const wasFull = this.isFull;
        while (this.#items.length > 0) {
          const item = this.#items.shift() as T;
          if (wasFull && this.#items.length === LOW) this.#onRoom();
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
      this.#flowing = true; // a reader who left must not hold the run
      this.#onRoom();
    }
  }
}
