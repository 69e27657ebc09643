/**
 * Several processes on one Postgres: each sends a heartbeat every second, gets notified of sessions with
 * new events, and takes over the runs of a process without heartbeat. Unused on the embedded store (one process).
 */
import type pg from "pg";
import type { SharedShares } from "../../queues/shared-shares.ts";

const BEAT_MS = 1000;
const SILENT_AFTER = "5 seconds"; // five missed beats; shorter, and a long garbage collection loses its runs
const FORGOTTEN_AFTER = "1 hour";
const CHANNEL = "capstan_runs";
const HINT_MS = 10; // hints are batched this long; text is batched for longer anyway
const MOST_CHARACTERS = 7_900; // per payload, all of them ASCII; Postgres allows 8,000 bytes
const STOP = "!"; // before a run's id: the process that runs it stops it
const DROP = "~"; // before a run's id: a program that waits for it is no longer needed
const POLICIES = "*"; // agents, grants, rules or checks were written
const SHARES = "%"; // before the owners' usage of slots for runs

const BEAT = `with beat as (insert into executors(id, seen) values ($1, now())
    on conflict (id) do update set seen = now()),
  forgotten as (delete from executors where seen < now() - interval '${FORGOTTEN_AFTER}')
  select (select count(*)::int from executors where id <> $1 and seen > now() - interval '${SILENT_AFTER}') as others,
    (select coalesce(json_agg(distinct r.owner), '[]') from runs r where r.status = 'running' and r.owner <> ''
      and r.owner <> $1 and not exists (select 1 from executors e where e.id = r.owner
      and e.seen > now() - interval '${SILENT_AFTER}')) as silent`;

const LOOK = `select s.id, (select max(last_seq) from events e where e.session_id = s.id) as last
  from unnest($1::uuid[]) as s(id)`;

export interface PresenceParts {
  readonly pool: pg.Pool;
  /** LISTEN belongs to a session; behind a pooler that is another pool. */
  readonly sessionPool: pg.Pool;
  readonly executorId: string;
  readonly onEvents: (sessionId: string) => void;
  readonly stop: (runId: string) => void;
  readonly dropIdleHarness: (runId: string) => void;
  /** Another process wrote what decides about calls. */
  readonly policiesChanged: () => void;
  /** Called with processes that send no heartbeat; their runs are to be taken over. */
  readonly takeOver: (executorIds: readonly string[]) => Promise<void>;
  /** Sessions with a listener in this process. */
  readonly listenedTo: () => readonly string[];
  readonly shares?: Pick<SharedShares, "toTell" | "hear"> | undefined;
  readonly onError: (error: unknown, what: string) => void;
}

export class Presence {
  readonly #parts: PresenceParts;
  readonly #hints = new Set<string>();
  #hintTimer: NodeJS.Timeout | undefined;
  #beatTimer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #listener: pg.PoolClient | undefined;
  #lastSeen: ReadonlyMap<string, number> = new Map();
  #others = true; // until the first heartbeat
  #closed = false;

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#listen();
    await this.#beat();
    this.#beatTimer = setInterval(() => {
      this.#beating = this.#beat().catch((error) => this.#parts.onError(error, "heartbeat"));
    }, BEAT_MS);
  }

  /** Notifies the others that a session has new events; does not wait. */
  hint(sessionId: string): void {
    if (this.#others) this.#tell(sessionId);
  }

  tellToStop(runId: string): void {
    if (this.#others) this.#tell(STOP + runId);
  }

  tellToDropIdleHarness(runId: string): void {
    if (this.#others) this.#tell(DROP + runId);
  }

  /** Resolves when the others are notified: whoever changed a policy waits for it. */
  async tellPoliciesChanged(): Promise<void> {
    if (!this.#others) return;
    this.#hints.add(POLICIES);
    await this.#flush().catch((error) => this.#parts.onError(error, "notifying the other processes"));
  }

  /** Removes this process at once, so that the others need not wait for missed heartbeats. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#beatTimer);
    clearTimeout(this.#hintTimer);
    await this.#beating;
    await this.#flush().catch(() => {});
    if (this.#listener) this.#drop(this.#listener);
    await this.#parts.pool.query("delete from executors where id = $1", [this.#parts.executorId]);
  }

  #tell(text: string): void {
    this.#hints.add(text);
    this.#hintTimer ??= setTimeout(() => {
      this.#hintTimer = undefined;
      this.#flush().catch((error) => this.#parts.onError(error, "notifying the other processes"));
    }, HINT_MS);
  }

  /** Outside transactions: NOTIFY inside one serialises all commits of the database. */
  async #flush(): Promise<void> {
    const all = [...this.#hints];
    this.#hints.clear();
    for (const payload of payloadsOf(this.#parts.executorId, all))
      await this.#parts.pool.query("select pg_notify($1, $2)", [CHANNEL, payload]);
  }

  async #beat(): Promise<void> {
    const { pool, executorId, takeOver } = this.#parts;
    const { rows } = await pool.query<{ others: number; silent: string[] }>(BEAT, [executorId]);
    const { others = 0, silent = [] } = rows[0] ?? {};
    this.#others = others > 0;
    if (this.#others) for (const word of this.#parts.shares?.toTell() ?? []) this.#tell(SHARES + word);
    if (silent.length > 0) await takeOver(silent);
    if (this.#others || silent.length > 0) await this.#look();
  }

  /** A hint may be lost with its connection; this delays a listener by at most a second. */
  async #look(): Promise<void> {
    const { pool, listenedTo, onEvents } = this.#parts;
    const sessions = listenedTo();
    if (sessions.length === 0) return;
    const { rows } = await pool.query<{ id: string; last: number | null }>(LOOK, [sessions]);
    const before = this.#lastSeen;
    this.#lastSeen = new Map(rows.map(({ id, last }) => [id, last ?? 0]));
    for (const [id, last] of this.#lastSeen) if (before.get(id) !== last) onEvents(id);
  }

  async #listen(): Promise<void> {
    const listener = await this.#parts.sessionPool.connect();
    this.#listener = listener;
    listener.on("notification", ({ payload }) => {
      const [from, ...words] = payload?.split(",") ?? [];
      if (from !== this.#parts.executorId) for (const text of words) this.#hear(text);
    });
    let listening = false;
    listener.on("error", (error) => {
      if (!this.#drop(listener)) return;
      this.#parts.onError(error, "listening to the other processes");
      if (listening) this.#listenAgain(); // before that, the caller retries
    });
    try {
      await listener.query(`listen ${CHANNEL}`);
    } catch (error) {
      this.#drop(listener);
      throw error;
    }
    listening = true;
  }

  #hear(text: string): void {
    if (text === POLICIES) this.#parts.policiesChanged();
    else if (text.startsWith(STOP)) this.#parts.stop(text.slice(STOP.length));
    else if (text.startsWith(DROP)) this.#parts.dropIdleHarness(text.slice(DROP.length));
    else if (text.startsWith(SHARES)) this.#parts.shares?.hear(text.slice(SHARES.length));
    else this.#parts.onEvents(text);
  }

  /** A broken connection reports several errors but may be released only once; false when it was released before. */
  #drop(listener: pg.PoolClient): boolean {
    if (this.#listener !== listener) return false;
    this.#listener = undefined;
    listener.release(true);
    return true;
  }

  #listenAgain(): void {
    if (this.#closed) return;
    setTimeout(() => {
      if (this.#closed) return;
      this.#listen().then(this.#parts.policiesChanged, () => this.#listenAgain()); // one may have been missed
    }, BEAT_MS);
  }
}

function payloadsOf(from: string, words: readonly string[]): string[] {
  const payloads: string[] = [];
  let payload = from;
  for (const word of words) {
    if (payload !== from && payload.length + 1 + word.length > MOST_CHARACTERS) {
      payloads.push(payload);
      payload = from;
    }
    payload += `,${word}`;
  }
  return payload === from ? payloads : [...payloads, payload];
}
