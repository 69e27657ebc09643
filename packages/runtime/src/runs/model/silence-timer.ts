/** Aborts a model call that sends nothing for too long: before its first part, or between two parts. */
export class SilenceTimer {
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#stop.abort(new Error("nothing came in time")), ms);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Something arrived: restarts the timer. */
  restart(): void {
    if (!this.isOver) this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
