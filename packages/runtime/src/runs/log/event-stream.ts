/**
 * A session's events from any sequence number on: subscribe, read the rows, continue live. Each event exactly once, whichever
 * process writes: after a gap in the batches, the reader reads the rows again.
 */
import type pg from "pg";
import type { EventBatch, EventHub } from "./event-hub.ts";

const ROWS_AT_ONCE = 500; // a long log is read in parts, at the client's speed

const READ = `select first_seq, last_seq, run_id, payload::text as payload from events
  where session_id = $1 and last_seq > $2 order by last_seq limit ${ROWS_AT_ONCE}`;

interface EventRow {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly run_id: string;
  readonly payload: string;
}

export interface EventSource {
  readonly pool: pg.Pool;
  readonly hub: EventHub;
}

/** Subscribed from its construction on, so that `from` yields without a gap. */
export class EventFollower {
  readonly #source: EventSource;
  readonly #sessionId: string;
  readonly #inbox = new Inbox();
  readonly #unsubscribe: () => void;

  constructor(source: EventSource, sessionId: string) {
    this.#source = source;
    this.#sessionId = sessionId;
    this.#unsubscribe = source.hub.subscribe(sessionId, (batch) => this.#inbox.put(batch));
  }

  close(): void {
    this.#unsubscribe();
    this.#inbox.close();
  }

  /** `sinceSubscribed`: nothing after `afterSeq` was written before this listener existed, so no rows need to be read. */
  async *from(
    afterSeq: number,
    signal: AbortSignal,
    { sinceSubscribed = false } = {},
  ): AsyncGenerator<EventBatch, void, void> {
    const close = () => this.close();
    signal.addEventListener("abort", close, { once: true });
    let sent = afterSeq;
    let stale = !sinceSubscribed;
    try {
      while (!signal.aborted) {
        const next = stale
          ? await readRows(this.#source.pool, this.#sessionId, sent)
          : await this.#inbox.take(sent);
        if (next === CLOSED) return;
        stale = next === HINT || next.length === ROWS_AT_ONCE;
        for (const batch of next === HINT ? [] : next) {
          yield batch;
          sent = batch.last;
        }
      }
    } finally {
      signal.removeEventListener("abort", close);
      close();
    }
  }
}

async function readRows(pool: pg.Pool, sessionId: string, afterSeq: number): Promise<EventBatch[]> {
  const { rows } = await pool.query<EventRow>(READ, [sessionId, afterSeq]);
  return rows.map((row) =>
    startingAt(
      {
        first: row.first_seq,
        last: row.last_seq,
        runId: row.run_id,
        json: (JSON.parse(row.payload) as unknown[]).map((event) => JSON.stringify(event)),
      },
      afterSeq + 1,
    ),
  );
}

/** The part of a batch from `seq` on, for a client that stopped within it. */
function startingAt(batch: EventBatch, seq: number): EventBatch {
  return seq <= batch.first ? batch : { ...batch, first: seq, json: batch.json.slice(seq - batch.first) };
}

const HINT = Symbol("look at the rows");
const CLOSED = Symbol("closed");
const MOST_HELD = 256; // batches buffered for a slow client; beyond that it reads rows instead, which takes no memory

/** What arrived since the last take. When full, it drops its batches and asks for the rows. */
class Inbox {
  #held: (EventBatch | typeof HINT)[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  put(batch: EventBatch | undefined): void {
    if (batch === undefined || this.#held.length >= MOST_HELD) this.#held = [HINT];
    else if (this.#held[0] !== HINT) this.#held.push(batch);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** The batch that continues after `sent`, if it has arrived. */
  async take(sent: number): Promise<EventBatch[] | typeof HINT | typeof CLOSED> {
    while (this.#held.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const next = this.#held.shift();
    if (next === undefined) return CLOSED;
    if (next === HINT || next.first > sent + 1) return HINT;
    return next.last <= sent ? [] : [startingAt(next, sent + 1)];
  }
}

const LAST_SEQ = "select max(last_seq) as last from events where session_id = $1";

/** The sequence number of a session's last event; 0 when it has none. */
export async function lastSeqOf(pool: Pick<pg.Pool, "query">, sessionId: string): Promise<number> {
  const { rows } = await pool.query<{ last: number | null }>(LAST_SEQ, [sessionId]);
  return rows[0]?.last ?? 0;
}
