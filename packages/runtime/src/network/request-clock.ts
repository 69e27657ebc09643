/** The time limits of one guarded request, redirects and body included. */

/** Aborts a request: at its first-byte timeout, at its total timeout, or when the caller aborts; records which it was. */
export class RequestClock {
  stopped: "first-byte" | "total" | "caller" | undefined;
  private readonly controller = new AbortController();
  private readonly total: NodeJS.Timeout;
  private readonly caller: AbortSignal | undefined;
  private readonly onCaller = () => this.stop("caller");

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.total = setTimeout(() => this.stop("total"), timeoutMs);
    this.caller = caller;
    if (caller?.aborted) this.stop("caller");
    else caller?.addEventListener("abort", this.onCaller, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  firstByte(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => this.stop("first-byte"), timeoutMs);
  }

  /** Nothing more will be read: the timers must not outlive the request. Returns its argument. */
  end<T>(result?: T): T {
    clearTimeout(this.total);
    this.caller?.removeEventListener("abort", this.onCaller);
    return result as T;
  }

  private stop(why: "first-byte" | "total" | "caller"): void {
    this.stopped ??= why;
    this.controller.abort(new DOMException(`The request was stopped (${why}).`, "AbortError"));
  }
}
