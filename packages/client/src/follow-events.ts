/**
 * Follows a session's events from any point, as long as the caller wants, over any number of connections.
 * Each reconnect names the last delivered event, and repeated events are dropped: none is lost or duplicated.
 */
import type { Failure, RunEvent } from "@capstan/core";
import type { Connection } from "./connection.ts";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

export interface SessionEvent {
  /** Its number in the session, increasing. */
  readonly seq: number;
  readonly event: RunEvent;
}

export type FollowState =
  | { readonly phase: "connecting" }
  | { readonly phase: "open" }
  | { readonly phase: "waiting"; readonly failure?: Failure; readonly retryMs: number }
  /** Following has ended: the caller closed it, or the server refused permanently. */
  | { readonly phase: "closed"; readonly failure?: Failure };

export interface FollowOptions {
  /** The last event already known; 0 for all. */
  readonly after?: number;
  /** Only the events of this run. */
  readonly run?: string;
  readonly onEvent: (event: SessionEvent) => void;
  readonly onState?: (state: FollowState) => void;
  /** A connection silent for this long is dead; the server sends keep-alive comments more often. */
  readonly silenceMs?: number;
  readonly firstPauseMs?: number;
}

export interface Following {
  /** The last delivered event. */
  readonly last: number;
  /** Retries now instead of waiting for the next attempt. */
  wake(): void;
  close(): void;
  /** Settles once it is closed. */
  readonly done: Promise<void>;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000; // a person is watching; a restarted server should be back on screen within seconds
const SILENCE_MS = 45_000;
const TRY_AGAIN = new Set([0, 408, 425, 429]); // and every 5xx

export function followEvents(connection: Connection, sessionId: string, options: FollowOptions): Following {
  const { onEvent, onState = () => {}, run: runId, silenceMs = SILENCE_MS } = options;
  const closing = new AbortController();
  let last = options.after ?? 0;
  const { firstPauseMs = FIRST_PAUSE_MS } = options;
  let pause = firstPauseMs;
  let wake = () => {};

  const take = ({ id, data }: ServerSentEvent) => {
    const seq = Number(id);
    if (closing.signal.aborted || !Number.isSafeInteger(seq) || seq <= last) return;
    const event = JSON.parse(data) as RunEvent;
    last = seq; // before the callback: a caller that closes and restarts from `last` must not get it twice
    onEvent({ seq, event });
  };

  /** One connection, until it ends. Undefined = it broke or ended, retry. */
  async function attempt(): Promise<Failure | undefined> {
    const dead = new AbortController();
    const signal = AbortSignal.any([closing.signal, dead.signal]);
    let timer = setTimeout(() => dead.abort(), silenceMs);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => dead.abort(), silenceMs);
    };
    try {
      const path = `/v1/sessions/${encodeURIComponent(sessionId)}/events`;
      const headers = { accept: "text/event-stream", "last-event-id": String(last) };
      const sent = await connection.send("GET", path, {
        headers,
        query: { after: last, run: runId },
        signal,
      });
      if (!sent.ok) return sent.failure;
      if (!sent.value.body) return undefined;
      onState({ phase: "open" });
      pause = firstPauseMs;
      await readServerSentEvents(sent.value.body, take, alive).catch(() => {}); // broken: the next attempt continues
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      onState({ phase: "connecting" });
      const failure = await attempt();
      if (closing.signal.aborted) break;
      if (failure && isFinal(failure)) return onState({ phase: "closed", failure });
      const retryMs = Math.round(pause * (0.75 + Math.random() / 2)); // jitter, so that not all clients reconnect at once after a restart
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
      onState({ phase: "waiting", retryMs, ...(failure && { failure }) });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, retryMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (closing.signal.aborted) wake(); // closed from within the callback above
      });
    }
    onState({ phase: "closed" });
  }

  const done = run();
  return {
    get last() {
      return last;
    },
    wake: () => wake(),
    close() {
      closing.abort();
      wake();
    },
    done,
  };
}

const isFinal = ({ status }: Failure): boolean => status < 500 && !TRY_AGAIN.has(status);
