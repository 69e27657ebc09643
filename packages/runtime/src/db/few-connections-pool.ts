/**
 * A `pg.Pool` that does with the connections it gets: where Postgres gives no more of them (a limit of the role, of the
 * database or of the server), work waits for one that is there instead of failing. It reaches into pg-pool where a
 * connection is made, because that is the one place that costs nothing when all is well.
 */
import pg from "pg";

const NO_MORE_CONNECTIONS = "53300";
const TRY_MORE_AFTER_MS = 60_000; // another process may have given some back

interface Waiting {
  readonly callback: (error: (Error & { code?: string }) | undefined, ...rest: unknown[]) => void;
  readonly timedOut?: boolean;
}

declare module "pg" {
  /** What pg-pool has and its types do not tell. */
  interface Pool {
    newClient(waiting: Waiting): void;
    readonly _pendingQueue: Waiting[];
    _pulseQueue(): void;
  }
}

export class FewConnectionsPool extends pg.Pool {
  readonly #most = this.options.max;

  /** Called by pg-pool for each connection it wants to add. */
  override newClient(waiting: Waiting): void {
    super.newClient({
      get timedOut() {
        return waiting.timedOut === true;
      },
      callback: (error, ...rest) => {
        if (error?.code !== NO_MORE_CONNECTIONS || this.totalCount === 0)
          return waiting.callback(error, ...rest);
        this.#settleFor(this.totalCount);
        this._pendingQueue.unshift(waiting);
        this._pulseQueue();
      },
    });
  }

  #settleFor(connections: number): void {
    this.options.max = connections;
    setTimeout(() => {
      this.options.max = this.#most;
    }, TRY_MORE_AFTER_MS).unref();
  }
}
