/**
 * A `fetch` whose AG-UI stream survives a broken connection. When the stream breaks, the rest of the run is read from the
 * session's events, after the last complete one; the reader sees one stream without gaps or duplicates.
 *
 * The POST itself is retried only when there was no response: the server identifies a message by its id and runs it once.
 */
import type { RunEvent } from "@capstan/core";
import { AG_UI_VERSION } from "@capstan/core/internal";
import { connect, type Fetch } from "./connection.ts";
import { type FollowOptions, type FollowState, followEvents } from "./follow-events.ts";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

export interface ReconnectOptions {
  /** How long a server may be down before this client gives up on the run; the run itself continues. */
  readonly giveUpAfterMs?: number;
  /** A connection silent for this long is dead; the server sends keep-alive comments more often. */
  readonly silenceMs?: number;
  /** Delay before the first retry; doubled for each further one. */
  readonly firstPauseMs?: number;
  /** Called each time the stream breaks and recovers. */
  readonly onState?: (state: FollowState) => void;
}

const GIVE_UP_MS = 120_000;
const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const AWAY = new Set([502, 503, 504]); // a proxy without a server behind it, or a server that is stopping
/** How a stopping server ends the stream of a continuing run. */
const CLOSED_BY_SERVER = "stream_closed";

export function reconnectingFetch(fetch: Fetch, options: ReconnectOptions = {}): Fetch {
  return async (url, init = {}) => {
    if (init.method !== "POST") return fetch(url, init);
    const response = await sendUntilAnswered(fetch, url, init, options);
    const place = placeOf(url, response);
    if (!response.ok || !response.body || !place) return response;
    const run = new OneRun(fetch, init, place, options);
    return new Response(run.stream(response.body), { status: response.status, headers: response.headers });
  };
}

/** Where the run's events are stored, from the response headers. */
interface Place {
  readonly base: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly after: number;
}

function placeOf(url: string, { headers }: Response): Place | undefined {
  const sessionId = headers.get("x-capstan-session");
  const runId = headers.get("x-capstan-run");
  const after = Number(headers.get("x-capstan-after") ?? 0);
  const base = /^(.*)\/v1\/agents\/[^/]+\/ag-ui\/?(\?.*)?$/.exec(url)?.[1];
  return sessionId && runId && base !== undefined ? { base, sessionId, runId, after } : undefined;
}

async function sendUntilAnswered(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  { giveUpAfterMs = GIVE_UP_MS, firstPauseMs = FIRST_PAUSE_MS }: ReconnectOptions,
): Promise<Response> {
  const until = Date.now() + giveUpAfterMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    // Not `instanceof Response`: some libraries replace the global class, and its instances are still responses.
    const sent = await fetch(url, init).then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    const late = Date.now() + pauseMs > until || init.signal?.aborted;
    if ("response" in sent && (!AWAY.has(sent.response.status) || late)) return sent.response;
    if ("error" in sent && late) throw sent.error;
    await pause(pauseMs, init.signal);
  }
}

/** The stream of one run, over any number of connections. */
class OneRun {
  readonly #fetch: Fetch;
  readonly #init: RequestInit;
  readonly #place: Place;
  readonly #options: ReconnectOptions;
  readonly #encoder = new TextEncoder();
  readonly #gone = new AbortController();
  #last: number;
  #started = false;
  #ended = false;

  constructor(fetch: Fetch, init: RequestInit, place: Place, options: ReconnectOptions) {
    this.#fetch = fetch;
    this.#init = init;
    this.#place = place;
    this.#options = options;
    this.#last = place.after;
  }

  stream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#readAll(body, controller).then(
          () => controller.close(),
          (error) => controller.error(error),
        );
      },
      cancel: () => this.#gone.abort(),
    });
  }

  async #readAll(body: ReadableStream<Uint8Array>, out: ReadableStreamDefaultController): Promise<void> {
    await this.#readFirst(body, out);
    if (this.#stopped()) throw this.#init.signal?.reason ?? new DOMException("cancelled", "AbortError");
    if (!this.#ended) await this.#readRest(out);
  }

  /** The connection that started the run. Incomplete events are read again by `#readRest`. */
  async #readFirst(body: ReadableStream<Uint8Array>, out: ReadableStreamDefaultController): Promise<void> {
    const { silenceMs = SILENCE_MS } = this.#options;
    const dead = new AbortController();
    const signal = AbortSignal.any([dead.signal, this.#gone.signal]);
    let timer = setTimeout(() => dead.abort(), silenceMs);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => dead.abort(), silenceMs);
    };
    await readServerSentEvents(body, (event) => this.#take(event, out), alive, signal).catch(() => {});
    clearTimeout(timer);
  }

  #take({ id, data }: ServerSentEvent, out: ReadableStreamDefaultController): void {
    const event = JSON.parse(data) as RunEvent;
    if (event.type === "RUN_ERROR" && event.code === CLOSED_BY_SERVER) return;
    if (id !== undefined) this.#last = Math.max(this.#last, Number(id));
    this.#put(event, data, out);
  }

  #put(event: RunEvent, data: string, out: ReadableStreamDefaultController): void {
    if (this.#ended || (event.type === "RUN_STARTED" && this.#started)) return;
    this.#started ||= event.type === "RUN_STARTED";
    this.#ended = event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
    out.enqueue(this.#encoder.encode(`data: ${data}\n\n`));
  }

  /** Session events have the server's ids; the reader expects its own. */
  async #readRest(out: ReadableStreamDefaultController): Promise<void> {
    const { giveUpAfterMs = GIVE_UP_MS, firstPauseMs, onState, silenceMs } = this.#options;
    const { sessionId, runId } = this.#place;
    const ids = this.#ids();
    if (!this.#started) {
      const started: RunEvent = { type: "RUN_STARTED", ...ids, protocolVersion: AG_UI_VERSION };
      this.#put(started, JSON.stringify(started), out);
    }
    let awaySince = Date.now();
    let why = "The server did not come back in time.";
    const follow: FollowOptions = {
      after: this.#last,
      run: runId,
      ...(silenceMs !== undefined && { silenceMs }),
      ...(firstPauseMs !== undefined && { firstPauseMs }),
      onEvent: ({ seq, event }) => {
        this.#last = seq;
        const shown = event.type === "RUN_FINISHED" ? { ...event, ...ids } : event;
        this.#put(shown, JSON.stringify(shown), out);
        if (this.#ended) following.close();
      },
      onState: (state) => {
        onState?.(state);
        if (state.phase === "open") awaySince = Number.POSITIVE_INFINITY;
        if (state.phase === "waiting") awaySince = Math.min(awaySince, Date.now());
        if (state.phase === "waiting" && Date.now() - awaySince > giveUpAfterMs) following.close();
        if (state.phase === "closed" && state.failure) why = state.failure.message;
      },
    };
    const following = followEvents(this.#connection(), sessionId, follow);
    const stop = () => following.close();
    const signals = [this.#gone.signal, ...(this.#init.signal ? [this.#init.signal] : [])];
    for (const signal of signals) signal.addEventListener("abort", stop, { once: true });
    if (this.#stopped()) stop();
    await following.done;
    for (const signal of signals) signal.removeEventListener("abort", stop);
    if (this.#ended) return;
    if (this.#stopped()) throw this.#init.signal?.reason ?? new DOMException("cancelled", "AbortError");
    const lost: RunEvent = { type: "RUN_ERROR", message: `The stream was lost. ${why}`, code: "stream_lost" };
    this.#put(lost, JSON.stringify(lost), out);
  }

  #stopped(): boolean {
    return this.#gone.signal.aborted || this.#init.signal?.aborted === true;
  }

  #ids(): { threadId: string; runId: string } {
    const { threadId, runId } = JSON.parse(String(this.#init.body)) as { threadId: string; runId: string };
    return { threadId, runId };
  }

  /** The same server and headers, except those of the POST body. */
  #connection() {
    const own = new Headers(this.#init.headers);
    own.delete("content-type");
    return connect({
      url: this.#place.base,
      fetch: (url, init = {}) => {
        const headers = new Headers(init.headers);
        own.forEach((value, name) => {
          if (!headers.has(name)) headers.set(name, value);
        });
        return this.#fetch(url, { ...init, headers: Object.fromEntries(headers.entries()) });
      },
    });
  }
}

function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
