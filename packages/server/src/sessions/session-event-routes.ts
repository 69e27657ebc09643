/** A session's events (AG-UI, stored before they are sent) and its export. Closing a stream does not stop the run. */

import { Readable } from "node:stream";
import { EventPage, EventQuery, type StoredEvent } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { EventBatch, Runs, SessionStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { answer, Id, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { SSE_RECONNECT_HINT, sseEvent, sseResponse, streamStop } from "../http/sse.ts";

const follow = createRoute({
  operationId: "followSession",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/events",
  summary:
    "The session's AG-UI events from any sequence number, then live (SSE; `Last-Event-ID` or `after`; `run` for those of one run; `format=json` for a page)",
  request: { params: Id, query: EventQuery },
  responses: {
    200: {
      description: "Events.",
      content: {
        "text/event-stream": { schema: z.string() },
        "application/json": { schema: EventPage },
      },
    },
  },
});

const exportSession = createRoute({
  operationId: "exportSession",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/export",
  summary: "Export the session as JSON lines",
  request: { params: Id },
  responses: {
    200: {
      description: "One JSON document per line.",
      content: { "application/jsonl": { schema: z.string() } },
    },
  },
});

export interface SessionEventRouteParts {
  readonly runs: Runs;
  readonly sessions: SessionStore;
  /** Fires when the server stops: streams end with a hint to reconnect. */
  readonly stopping: AbortSignal;
}

export function sessionEventRoutes({ runs, sessions, stopping }: SessionEventRouteParts) {
  const routes = newRoutes("runs");
  routes.openapi(follow, async (c) => {
    const { id } = c.req.valid("param");
    const { format, run, ...query } = c.req.valid("query");
    const session = await sessions.get(id);
    if (!session.ok) return problem(c, session.failure);
    const last = c.req.header("last-event-id") ?? "";
    if (!/^\d{0,15}$/.test(last))
      return problem(
        c,
        fail("input_invalid", { where: "header.last-event-id: must be an event's number" }).failure,
      );
    const after = last === "" ? (query.after ?? 0) : Number(last);
    if (format === "json") return c.json(await page(runs, id, after, query.limit), 200);
    const stop = streamStop(stopping);
    return answer(sseResponse(eventTexts(runs.events(id, after, stop.signal), run), stop));
  });
  routes.openapi(exportSession, async (c) => {
    const session = await sessions.get(c.req.valid("param").id);
    if (!session.ok) return problem(c, session.failure);
    const lines = runs.exportLines(session.value.id);
    return answer(
      new Response(Readable.toWeb(Readable.from(encoded(lines))) as ReadableStream, {
        headers: {
          "content-type": "application/jsonl; charset=utf-8",
          "content-disposition": `attachment; filename="${session.value.id}.jsonl"`,
        },
      }),
    );
  });
  return routes;
}

const MOST_EVENTS = 500;

/** `only`: the events of one run. The session's numbers are kept, with gaps for other runs. */
async function* eventTexts(
  batches: AsyncIterable<EventBatch>,
  only: string | undefined,
): AsyncGenerator<string> {
  yield "retry: 1000\n\n";
  for await (const { first, runId, json } of batches) {
    if (only !== undefined && runId !== only) continue;
    let text = "";
    for (let i = 0; i < json.length; i++) text += sseEvent(json[i] ?? "", first + i);
    yield text;
  }
  yield SSE_RECONNECT_HINT;
}

/** A page of stored events, for lists that scroll. */
async function page(
  runs: Runs,
  id: string,
  after: number,
  limit = MOST_EVENTS,
): Promise<z.input<typeof EventPage>> {
  const last = await runs.lastSeq(id);
  const items = last > after ? await readEvents(runs, id, { after, last, limit }) : [];
  const next = items.at(-1)?.seq;
  return { items, next: next !== undefined && next < last ? next : null };
}

async function readEvents(
  runs: Runs,
  id: string,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<StoredEvent[]> {
  const stop = new AbortController();
  const found: StoredEvent[] = [];
  for await (const { first, runId, json } of runs.events(id, after, stop.signal)) {
    for (const [index, text] of json.entries())
      found.push({ seq: first + index, run_id: runId, event: JSON.parse(text) });
    if (found.length >= limit || (found.at(-1)?.seq ?? 0) >= last) break;
  }
  stop.abort();
  return found.filter(({ seq }) => seq > after).slice(0, limit);
}

async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(line.endsWith("\n") ? line : `${line}\n`);
}
