/**
 * The background service: a JSON API over HTTP. GET /health, GET /items?filter=words, POST /items {"title": ...}.
 * Database connections are pooled; clients above the rate limit get 429.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const POOL_SIZE = 4;
const MAX_BODY_BYTES = 100_000;
const KEEP_ALIVE_MS = 5_000;

/** A few connections, opened once and shared. */
export class Pool {
  readonly opened: number;
  readonly #free: DatabaseSync[];

  constructor(path: string, size: number) {
    this.#free = Array.from({ length: size }, () => {
      const connection = new DatabaseSync(path);
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;");
      return connection;
    });
    this.opened = size;
  }

  use<T>(work: (connection: DatabaseSync) => T): T {
    const connection = this.#free.shift();
    if (!connection) throw new Error("every connection is in use");
    try {
      return work(connection);
    } finally {
      this.#free.push(connection);
    }
  }

  close(): void {
    for (const connection of this.#free) connection.close();
  }
}

/** A token bucket per client: full at first, refilled evenly. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, { tokens: number; seenMs: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  allows(client: string, nowMs = Date.now()): boolean {
    if (this.#buckets.size > 10_000) this.#buckets.clear();
    const { tokens: before, seenMs } = this.#buckets.get(client) ?? {
      tokens: this.#perMinute,
      seenMs: nowMs,
    };
    const tokens = Math.min(this.#perMinute, before + ((nowMs - seenMs) * this.#perMinute) / 60_000);
    this.#buckets.set(client, { tokens: tokens >= 1 ? tokens - 1 : tokens, seenMs: nowMs });
    return tokens >= 1;
  }
}

export function createService({ dataDir, perMinute }: { dataDir: string; perMinute: number }): {
  server: Server;
  pool: Pool;
} {
  const pool = new Pool(join(dataDir, "state.sqlite"), POOL_SIZE);
  pool.use((connection) =>
    connection.exec(`CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))`),
  );
  const limit = new RateLimit(perMinute);
  const server = createServer((request, response) => {
    handle(request, response, pool, limit).catch((error: Error) =>
      answer(response, 500, { error: error.message }),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return { server, pool };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  pool: Pool,
  limit: RateLimit,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://service");
  if (request.method === "GET" && url.pathname === "/health") return answer(response, 200, { status: "ok" });
  if (!limit.allows(request.socket.remoteAddress ?? "")) {
    return answer(
      response,
      429,
      { error: "too many requests; try again in a few seconds" },
      { "retry-after": "5" },
    );
  }
  if (url.pathname !== "/items") return answer(response, 404, { error: `nothing exists at ${url.pathname}` });
  if (request.method === "GET")
    return answer(response, 200, find(pool, url.searchParams.get("filter") ?? ""));
  const title = titleIn(await bodyOf(request));
  if (!title) return answer(response, 400, { error: "send a JSON object with a title" });
  return answer(response, 200, add(pool, title));
}

function find(pool: Pool, words: string): unknown {
  const query = "SELECT id, title, created_at FROM items WHERE title LIKE ? ORDER BY id LIMIT 200";
  return pool.use((connection) => connection.prepare(query).all(`%${words}%`));
}

function add(pool: Pool, title: string): unknown {
  return pool.use((connection) => {
    connection.prepare("INSERT OR IGNORE INTO items (title) VALUES (?)").run(title);
    return connection.prepare("SELECT id, title, created_at FROM items WHERE title = ?").get(title);
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function titleIn(body: string): string {
  try {
    const { title } = JSON.parse(body) as { title?: unknown };
    return typeof title === "string" ? title.trim() : "";
  } catch {
    return "";
  }
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
