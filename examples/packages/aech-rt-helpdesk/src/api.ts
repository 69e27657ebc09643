/** The HTTP API: JSON in and out, /health that asks the database, 429 for clients that ask too often. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { TicketDatabase } from "./database.ts";
import { addNote, getTicket, searchTickets } from "./tickets.ts";

const MAX_BODY_BYTES = 100_000;

interface Reply {
  status: number;
  body: unknown;
}

export function createApi(database: TicketDatabase, perMinute: number): Server {
  const allows = rateLimit(perMinute);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://service");
    const isHealth = url.pathname === "/health";
    const reply =
      isHealth || allows(request.socket.remoteAddress ?? "")
        ? await route(request, url, database).catch(
            (error: Error): Reply => ({ status: isHealth ? 503 : 500, body: { error: error.message } }),
          )
        : { status: 429, body: { error: "too many requests; try again in a few seconds" } };
    const headers = {
      "content-type": "application/json",
      ...(reply.status === 429 && { "retry-after": "5" }),
    };
    response.writeHead(reply.status, headers).end(JSON.stringify(reply.body));
  });
  server.keepAliveTimeout = 5_000;
  return server;
}

async function route(request: IncomingMessage, url: URL, database: TicketDatabase): Promise<Reply> {
  const [, area, id, part] = url.pathname.split("/").map(decodeURIComponent);
  const call = `${request.method} ${area}${id ? "/:id" : ""}${part ? `/${part}` : ""}`;
  switch (call) {
    case "GET health":
      await database.query("select 1");
      return { status: 200, body: { status: "ok" } };
    case "GET tickets":
      return { status: 200, body: await searchTickets(database, url.searchParams.get("query") ?? "") };
    case "GET tickets/:id":
      return found(await getTicket(database, id ?? ""), id);
    case "POST tickets/:id/notes":
      return note(request, database, id ?? "");
    default:
      return { status: 404, body: { error: `there is nothing at ${url.pathname}` } };
  }
}

async function note(request: IncomingMessage, database: TicketDatabase, ticketId: string): Promise<Reply> {
  const sent = await jsonBody(request);
  const body = typeof sent?.body === "string" ? sent.body.trim() : "";
  const author = typeof sent?.author === "string" ? sent.author : "";
  if (!body) return { status: 400, body: { error: "send a JSON object with a body" } };
  const key = request.headers["idempotency-key"];
  const ticket = await addNote(database, {
    ticketId,
    body,
    author,
    requestKey: typeof key === "string" ? key : null,
  });
  return found(ticket, ticketId);
}

const found = (ticket: unknown, id: string | undefined): Reply =>
  ticket ? { status: 200, body: ticket } : { status: 404, body: { error: `there is no ticket ${id}` } };

async function jsonBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A bucket of tokens per client: full at first, refilled evenly. */
function rateLimit(perMinute: number): (client: string) => boolean {
  const buckets = new Map<string, { tokens: number; seenMs: number }>();
  return (client) => {
    const nowMs = Date.now();
    if (buckets.size > 10_000) buckets.clear();
    const { tokens: before, seenMs } = buckets.get(client) ?? { tokens: perMinute, seenMs: nowMs };
    const tokens = Math.min(perMinute, before + ((nowMs - seenMs) * perMinute) / 60_000);
    buckets.set(client, { tokens: tokens >= 1 ? tokens - 1 : tokens, seenMs: nowMs });
    return tokens >= 1;
  };
}
