import type { RunEvent } from "@capstan/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fetch } from "./connection.ts";
import { reconnectingFetch } from "./reconnecting-fetch.ts";

const AG_UI = "http://capstan.test/v1/agents/a/ag-ui";

describe("a fetch that survives broken connections", () => {
  test("delivers every event once and in order, wherever connections break and whatever is sent twice", async () => {
    const cuts = fc.record({
      first: fc.nat(900),
      later: fc.array(fc.record({ bytes: fc.nat(400), overlap: fc.nat(3) }), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 8 }), cuts, async (words, { first, later }) => {
        const log = logOf(words);
        const server = serverOf(log, first, later);
        expect(await read(server.fetch)).toEqual(asClientSeesIt(log));
      }),
      { numRuns: 60 },
    );
  });

  test("requests the run's own events, after the last complete one, with the agent's headers", async () => {
    const log = logOf(2);
    const server = serverOf(log, wire(log.slice(0, 2)).length + 10, []);
    await read(server.fetch, { authorization: "Bearer k" });
    const [asked] = server.followed;
    expect(asked?.url).toBe("http://capstan.test/v1/sessions/s%201/events?after=11&run=r-own");
    expect(asked?.headers.get("last-event-id")).toBe("11");
    expect(asked?.headers.get("authorization")).toBe("Bearer k");
    expect(asked?.headers.has("content-type")).toBe(false);
  });

  test("continues when a stopping server ends the stream", async () => {
    const log = logOf(1);
    const goodbye = { type: "RUN_ERROR", message: "closed", code: "stream_closed" };
    const text = `${wire(log.slice(0, 1))}data: ${JSON.stringify(goodbye)}\n\n`;
    const server = serverOf(log, Number.POSITIVE_INFINITY, [], text);
    expect(await read(server.fetch)).toEqual(asClientSeesIt(log));
  });

  test("retries the request when no server answers, but not when one refuses", async () => {
    let calls = 0;
    const log = logOf(0);
    const server = serverOf(log, Number.POSITIVE_INFINITY, []);
    const away: Fetch = async (url, init) => {
      calls++;
      if (calls === 1) throw new TypeError("connection refused");
      return calls === 2 ? new Response("", { status: 503 }) : server.fetch(url, init);
    };
    expect(await read(away)).toEqual(asClientSeesIt(log));
    expect(calls).toBe(3);
    const refusing: Fetch = async () => Response.json({ code: "input_invalid" }, { status: 422 });
    expect((await reconnectingFetch(refusing)(AG_UI, post())).status).toBe(422);
  });

  test("reports a lost stream when the session is gone", async () => {
    const log = logOf(1);
    const problem = { code: "not_found", message: "There is no session.", nextStep: "-" };
    const first = serverOf(log, wire(log.slice(0, 2)).length, []);
    const fetch: Fetch = async (url, init) =>
      init?.method === "POST" ? first.fetch(url, init) : Response.json(problem, { status: 404 });
    expect((await read(fetch)).at(-1)).toEqual({
      type: "RUN_ERROR",
      message: "The stream was lost. There is no session.",
      code: "stream_lost",
    });
  });

  test("stops when the caller aborts", async () => {
    const stop = new AbortController();
    const log = logOf(1);
    const server = serverOf(log, wire(log.slice(0, 2)).length, []);
    const fetch: Fetch = async (url, init) => {
      if (init?.method === "POST") return server.fetch(url, init);
      stop.abort();
      throw init?.signal?.reason ?? new Error("not stopped");
    };
    const response = await reconnectingFetch(fetch)(AG_UI, { ...post(), signal: stop.signal });
    await expect(response.text()).rejects.toMatchObject({ name: "AbortError" });
  });

  test("does not touch responses of other servers", async () => {
    const plain: Fetch = async () => new Response("data: {}\n\n", { status: 200 });
    expect(await (await reconnectingFetch(plain)(AG_UI, post())).text()).toBe("data: {}\n\n");
  });
});

interface Stored {
  readonly seq: number;
  readonly event: RunEvent;
}

/** A run's stored events, from number 10 on. */
function logOf(words: number): Stored[] {
  const events: RunEvent[] = [
    { type: "RUN_STARTED", threadId: "s 1", runId: "r-own" },
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    ...Array.from({ length: words }, (_, index) => ({
      type: "TEXT_MESSAGE_CONTENT" as const,
      messageId: "m",
      delta: `word ${index} ⚓`,
    })),
    { type: "TEXT_MESSAGE_END", messageId: "m" },
    { type: "RUN_FINISHED", threadId: "s 1", runId: "r-own", outcome: { type: "success" } },
  ];
  return events.map((event, index) => ({ seq: 10 + index, event }));
}

const IDS = { threadId: "my thread", runId: "my run" };

const asClientSeesIt = (log: readonly Stored[]): RunEvent[] =>
  log.map(({ event }, index) => {
    if (index === 0) return { type: "RUN_STARTED", ...IDS, protocolVersion: "1.0" };
    return event.type === "RUN_FINISHED" ? { ...event, ...IDS } : event;
  });

/** As the AG-UI endpoint sends them: the first with the client's ids and without a number. */
const wire = (log: readonly Stored[]): string =>
  asClientSeesIt(log)
    .map((event, index) => `${index === 0 ? "" : `id: ${10 + index}\n`}data: ${JSON.stringify(event)}\n\n`)
    .join("");

function serverOf(
  log: readonly Stored[],
  firstBytes: number,
  later: readonly { bytes: number; overlap: number }[],
  text = wire(log),
) {
  const followed: { url: string; headers: Headers }[] = [];
  const fetch: Fetch = async (url, init) => {
    if (init?.method === "POST") {
      const bytes = new TextEncoder().encode(text).subarray(0, Math.min(firstBytes, text.length * 4));
      return new Response(bytes, {
        headers: { "x-capstan-session": "s 1", "x-capstan-run": "r-own", "x-capstan-after": "9" },
      });
    }
    const headers = new Headers(init?.headers);
    const cut = later[followed.length];
    followed.push({ url, headers });
    const from = Number(headers.get("last-event-id")) - (cut?.overlap ?? 0);
    const rest = log.filter(({ seq }) => seq > from);
    const said = rest.map(({ seq, event }) => `id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(new TextEncoder().encode(`: hello\n\n${said}`).subarray(0, cut?.bytes));
  };
  return { fetch, followed };
}

const post = (headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ ...IDS, messages: [] }),
});

async function read(fetch: Fetch, headers: Record<string, string> = {}): Promise<RunEvent[]> {
  const response = await reconnectingFetch(fetch, { firstPauseMs: 1 })(AG_UI, post(headers));
  const text = await response.text();
  return text
    .split("\n\n")
    .flatMap((block) => (block === "" ? [] : [JSON.parse(block.slice("data: ".length))]));
}
