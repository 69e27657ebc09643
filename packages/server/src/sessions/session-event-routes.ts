/** A session's events (AG-UI, stored before they are sent) and its export. Closing a stream stops nothing. */
import { Readable } from "node:stream";
import type { EventBatch, Runs, SessionStore } from "@capstan/runtime";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type AppEnv, newRoutes, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { SSE_GOODBYE, sseEvent, sseResponse, streamStop } from "../http/sse.ts";

const Id = z.object({ id: z.string() });

export interface SessionEventRouteParts {
  readonly runs: Runs;
  readonly sessions: SessionStore;
  /** Fires when the server stops: streams end with a hint to connect again. */
  readonly stopping: AbortSignal;
}

export function sessionEventRoutes(services: SessionEventRouteParts) {
  const routes = newRoutes();
  describeStreams(routes.openAPIRegistry);
  routes.get("/v1/sessions/:id/events", requireRight("read"), (c) => events(c, services));
  routes.get("/v1/sessions/:id/export", requireRight("read"), (c) => exported(c, services));
  return routes;
}

const After = z.coerce.number().int().min(0).catch(0);
const Limit = z.coerce.number().int().min(1).max(1000).catch(500);

async function events(
  c: Context<AppEnv>,
  { runs, sessions, stopping }: SessionEventRouteParts,
): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const session = await sessions.get(id);
  if (!session.ok) return problem(c, session.failure);
  const after = After.parse(c.req.header("last-event-id") ?? c.req.query("after") ?? 0);
  if (c.req.query("format") === "json") return page(c, runs, id, after);
  const stop = streamStop(stopping);
  const batches = runs.events(id, after, stop.signal);
  return sseResponse(eventTexts(batches, c.req.query("run")), stop);
}

/** `only`: the events of one run. The session's numbers stay, with gaps where others ran. */
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
  yield SSE_GOODBYE;
}

interface StoredEvent {
  readonly seq: number;
  readonly run_id: string;
  readonly event: unknown;
}

/** A page of stored events, for lists that scroll. */
async function page(c: Context<AppEnv>, runs: Runs, id: string, after: number): Promise<Response> {
  const limit = Limit.parse(c.req.query("limit") ?? 500);
  const last = await runs.lastSeq(id);
  const items = last > after ? await readEvents(runs, id, { after, last, limit }) : [];
  const next = items.at(-1)?.seq;
  return c.json({ items, next: next !== undefined && next < last ? next : null });
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

async function exported(c: Context<AppEnv>, { runs, sessions }: SessionEventRouteParts): Promise<Response> {
  const session = await sessions.get(c.req.param("id") ?? "");
  if (!session.ok) return problem(c, session.failure);
  const lines = runs.exportLines(session.value.id);
  return new Response(Readable.toWeb(Readable.from(encoded(lines))) as ReadableStream, {
    headers: {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": `attachment; filename="${session.value.id}.jsonl"`,
    },
  });
}

async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(line.endsWith("\n") ? line : `${line}\n`);
}

function describeStreams(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const text = { schema: { type: "string" } as const };
  registry.registerPath({
    method: "get",
    path: "/v1/sessions/{id}/events",
    tags: ["runs"],
    summary:
      "The session's AG-UI events from any sequence number, then live (SSE; `Last-Event-ID` or `after`; `run` for those of one run; `format=json` for a page)",
    "x-capstan-right": "read",
    request: {
      params: Id,
      query: z.object({
        after: z.string().optional(),
        run: z.string().optional(),
        format: z.enum(["json"]).optional(),
        limit: z.string().optional(),
      }),
    },
    responses: {
      200: {
        description: "Events.",
        content: { "text/event-stream": text, "application/json": { schema: {} } },
      },
    },
  });
  registry.registerPath({
    method: "get",
    path: "/v1/sessions/{id}/export",
    tags: ["runs"],
    summary: "Everything of the session as JSON lines",
    "x-capstan-right": "read",
    request: { params: Id },
    responses: { 200: { description: "One JSON document a line.", content: { "application/jsonl": text } } },
  });
}
