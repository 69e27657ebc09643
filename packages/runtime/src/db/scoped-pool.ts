/**
 * Connections that belong to one organisation: each enters it (role, schema, setting) before its first statement. On
 * Postgres they are connections of their own and stay there; the embedded store has one session for everyone, which
 * enters at each checkout and leaves at each release. A connection that fails to enter is not handed out; one that
 * fails to leave is never returned to the pool.
 */
import pg from "pg";
import { FewConnectionsPool } from "./few-connections-pool.ts";
import { PreparingClient } from "./preparing-client.ts";

/** Statements that put a session into an organisation, and back. */
export interface Scope {
  readonly enter: string;
  readonly leave: string;
}

export interface ScopedPools {
  readonly pool: pg.Pool;
  readonly systemPool: pg.Pool;
  readonly sessionPool: pg.Pool;
  end(): Promise<void>;
}

type Connected = (error: Error | undefined) => void;

/** A client that enters the organisation before it counts as connected. */
export function scopedClient({ enter }: Scope): typeof pg.Client {
  class ScopedClient extends PreparingClient {
    // biome-ignore lint/suspicious/noExplicitAny: pg overloads `connect`; the pool calls it with a callback
    override connect(callback?: any): any {
      const connected: Connected = callback;
      if (callback === undefined) return super.connect().then(() => super.query(enter));
      super.connect((error: Error | undefined) => {
        if (error) return connected(error);
        super.query(enter).then(
          () => connected(undefined),
          (refused: Error) => connected(refused),
        );
      });
    }
  }
  return ScopedClient;
}

/** On Postgres. Idle connections close by themselves, so a quiet organisation holds the one that listens. */
export function postgresScope(
  scope: Scope,
  { connectionString, connections }: { connectionString: string; connections: number },
  watch: <P extends pg.Pool>(pool: P) => P,
): ScopedPools {
  const Client = scopedClient(scope);
  const open = (max: number) => watch(new FewConnectionsPool({ connectionString, max, Client }));
  const pool = open(connections);
  const systemPool = open(connections);
  const end = async () => void (await Promise.all([pool.end(), systemPool.end()]));
  return { pool, systemPool, sessionPool: pool, end };
}

/** On the embedded store: the same session, lent. It opens no connection of its own. */
class LentSessionPool extends pg.Pool {
  readonly #base: pg.Pool;
  readonly #scope: Scope;

  constructor(base: pg.Pool, scope: Scope) {
    super();
    this.#base = base;
    this.#scope = scope;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads `connect`; ours is the one with a promise
  override connect(): any {
    return this.#lend();
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query`; ours are those with a promise
  override async query(...statement: any[]): Promise<any> {
    const client = await this.#lend();
    try {
      return await client.query(...(statement as [string, unknown[]]));
    } finally {
      client.release();
    }
  }

  async #lend(): Promise<pg.PoolClient> {
    const client = await this.#base.connect();
    const giveBack = client.release.bind(client);
    const leave = (error?: Error | boolean): void => {
      client.query(this.#scope.leave).then(
        () => giveBack(error),
        () => {}, // a session that is still inside is not reused
      );
    };
    try {
      await client.query(this.#scope.enter);
    } catch (error) {
      leave(true);
      throw error;
    }
    let isReleased = false;
    client.release = (error) => {
      if (isReleased)
        throw new Error("Release called on client which has already been released to the pool.");
      isReleased = true;
      leave(error);
    };
    return client;
  }
}

export function embeddedScope(base: pg.Pool, scope: Scope): ScopedPools {
  const pool = new LentSessionPool(base, scope);
  return { pool, systemPool: pool, sessionPool: pool, end: () => pool.end() };
}
