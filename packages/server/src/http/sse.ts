/** Server-sent events as a plain stream: LF framing, `id:` lines, and periodic comments so that proxies keep it open. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = new TextEncoder().encode(": keep-alive\n\n");
const encoder = new TextEncoder();

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

const ENDED = "the stream has ended"; // without a reason, an Error with its stack is created for each
let open = 0;
const endings = new WeakMap<Response, (() => void)[]>();

/** How many clients are connected to streams of this process. */
export const countStreams = (): number => open;

/** Each yielded text is written unchanged; `open` runs until the client leaves or the texts end. */
export function sseResponse(
  texts: AsyncIterable<string>,
  stop: AbortController,
  headers: Record<string, string> = {},
): Response {
  const iterator = texts[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const onEnd: (() => void)[] = [];
  const ended = () => {
    if (timer) open--;
    for (const call of onEnd.splice(0)) call();
    clearInterval(timer);
    timer = undefined;
    stop.abort(ENDED);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setInterval(() => controller.enqueue(KEEP_ALIVE), KEEP_ALIVE_MS);
        timer.unref();
        open++;
      },
      async pull(controller) {
        const { done, value } = await iterator.next().catch((error) => {
          ended();
          throw error;
        });
        if (!done) return controller.enqueue(encoder.encode(value));
        ended();
        controller.close();
      },
      async cancel() {
        ended();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { headers: { ...SSE_HEADERS, ...headers } });
  endings.set(response, onEnd);
  return response;
}

/** Calls back when this event stream ends; false when the response is not one. */
export function whenStreamEnds(response: Response, call: () => void): boolean {
  const calls = endings.get(response);
  calls?.push(call);
  return calls !== undefined;
}

/** Ends a stream when its client leaves or the server stops. Its creator must abort it, or the server keeps it. */
export function streamStop(stopping: AbortSignal): AbortController {
  const stop = new AbortController();
  const abort = () => stop.abort();
  if (stopping.aborted) abort();
  else stopping.addEventListener("abort", abort, { once: true });
  stop.signal.addEventListener("abort", () => stopping.removeEventListener("abort", abort));
  return stop;
}

/** The last text of a stream when the server stops: a browser's EventSource reconnects by itself. */
export const SSE_RECONNECT_HINT = "retry: 250\n: the server is stopping; reconnect\n\n";

export const sseEvent = (data: string, id?: number | string): string =>
  id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
