/**
 * A `pg.Pool` that works with the connections it can get: where Postgres allows no more (a limit of the role, the
 * database or the server), work waits for an existing one instead of failing. It hooks into pg-pool where a
 * connection is created, because that costs nothing in the normal case.
 */
import pg from "pg";

const NO_MORE_CONNECTIONS = "53300";
const TRY_MORE_AFTER_MS = 60_000; // another process may have released some

interface Waiting {
  readonly callback: (error: (Error & { code?: string }) | undefined, ...rest: unknown[]) => void;
  readonly timedOut?: boolean;
}

declare module "pg" {
  /** Members of pg-pool that its types leave out. */
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
