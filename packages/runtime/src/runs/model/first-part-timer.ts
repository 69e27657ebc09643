/** Aborts a model call whose first part does not come in time. */
export class FirstPartTimer {
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#stop.abort(new Error("the first part did not come in time")), ms);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
