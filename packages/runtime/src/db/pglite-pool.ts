/**
 * A `pg.Pool` over in-process PGlite, so that one code path serves both stores.
 * There is one session: extended-protocol messages are buffered until Sync and sent in one call, so that an error in a
 * statement is handled as on a real server (the stock adapters do not recover from it).
 * The pool takes a new client after an error, but the session stays: its prepared statements are known to all clients.
 */
import { EventEmitter } from "node:events";
import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { serialize } from "pg-protocol";

interface ProtocolMessage {
  readonly name: string;
}

/** What `pg.Client` expects of its connection; socket calls without meaning here do nothing. */
class PgliteConnection extends EventEmitter {
  readonly stream = silentStream();
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string> = {};
  _connecting = false;
  #pending: Uint8Array[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  readonly #lite: PGlite;

  constructor(lite: PGlite, prepared: Record<string, string>) {
    super();
    this.#lite = lite;
    this.parsedStatements = prepared;
  }

  connect(): void {
    this._connecting = true;
    this.#lite.waitReady.then(
      () => this.emit("readyForQuery", { name: "readyForQuery", status: "I" }),
      (error) => this.emit("error", error),
    );
  }

  query(text: string): void {
    this.#pending.push(serialize.query(text));
    this.#send();
  }
  parse(query: Parameters<typeof serialize.parse>[0]): void {
    this.#pending.push(serialize.parse(query));
  }
  bind(config: Parameters<typeof serialize.bind>[0]): void {
    this.#pending.push(serialize.bind(config));
  }
  describe(message: Parameters<typeof serialize.describe>[0]): void {
    this.#pending.push(serialize.describe(message));
  }
  execute(config: Parameters<typeof serialize.execute>[0]): void {
    this.#pending.push(serialize.execute(config));
  }
  close(message: Parameters<typeof serialize.close>[0]): void {
    this.#pending.push(serialize.close(message));
  }
  sync(): void {
    this.#pending.push(serialize.sync());
    this.#send();
  }
  end(): void {
    this.#tail = this.#tail.then(() => this.emit("end"));
  }

  flush(): void {}
  requestSsl(): void {}
  startup(): void {}
  cancel(): void {}
  password(): void {}
  ref(): void {}
  unref(): void {}
  endCopyFrom(): void {}
  sendCopyFail(): void {}
  sendCopyFromChunk(): never {
    throw new Error("COPY is not used on the embedded store");
  }

  #send(): void {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#tail = this.#tail
      .then(async () => {
        const messages: ProtocolMessage[] = await this.#lite.execProtocolStream(bytes, {
          throwOnError: false,
        });
        for (const message of messages) {
          this.emit(message.name === "error" ? "errorMessage" : message.name, message);
        }
      })
      .catch((error) => this.emit("error", error));
  }
}

function silentStream() {
  const nothing = (): void => {};
  return {
    destroy: nothing,
    ref: nothing,
    unref: nothing,
    on: nothing,
    once: nothing,
    removeListener: nothing,
    setNoDelay: nothing,
  };
}

const FIXED = { user: "postgres", password: "", database: "postgres", host: "localhost", ssl: false };

export function pglitePool(lite: PGlite, Client: typeof pg.Client): pg.Pool {
  const prepared: Record<string, string> = {};
  class EmbeddedClient extends Client {
    constructor(config?: pg.ClientConfig) {
      super(Object.assign({ ...config, ...FIXED }, { connection: new PgliteConnection(lite, prepared) }));
    }
  }
  return new pg.Pool({ Client: EmbeddedClient, max: 1, idleTimeoutMillis: 0 } as pg.PoolConfig);
}
