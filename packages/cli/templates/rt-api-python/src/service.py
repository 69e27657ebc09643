"""The background service: a JSON API over HTTP.

GET /health, GET /items?filter=words, POST /items {"title": ...}. Connections to the database are kept and shared,
clients that ask too often get 429, SIGTERM lets requests under way finish.
"""
import json
import os
import queue
import signal
import sqlite3
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PORT = int(os.environ.get("PORT", "8080"))
HOST = os.environ.get("HOST", "0.0.0.0")
DATA = Path(os.environ.get("DATA_DIR", "/data"))
PER_MINUTE = int(os.environ.get("REQUESTS_PER_MINUTE", "120"))
POOL_SIZE = 4
MAX_BODY = 100_000


class Pool:
    """A few connections, opened once and handed around."""

    def __init__(self, path: Path, size: int) -> None:
        self._free: "queue.Queue[sqlite3.Connection]" = queue.Queue()
        self.opened = 0
        for _ in range(size):
            connection = sqlite3.connect(path, timeout=5, check_same_thread=False)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.row_factory = sqlite3.Row
            self.opened += 1
            self._free.put(connection)

    @contextmanager
    def connection(self):
        connection = self._free.get(timeout=10)
        try:
            with connection:
                yield connection
        finally:
            self._free.put(connection)

    def close(self) -> None:
        while not self._free.empty():
            self._free.get().close()


class RateLimit:
    """A bucket of tokens per client: full at first, refilled evenly."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets: dict = {}
        self._lock = threading.Lock()

    def allows(self, client: str) -> bool:
        now = time.monotonic()
        with self._lock:
            if len(self._buckets) > 10_000:
                self._buckets.clear()
            tokens, seen = self._buckets.get(client, (self._per_minute, now))
            tokens = min(self._per_minute, tokens + (now - seen) * self._per_minute / 60)
            self._buckets[client] = (max(0.0, tokens - 1) if tokens >= 1 else tokens, now)
            return tokens >= 1


class Api(BaseHTTPRequestHandler):
    pool: Pool
    limit: RateLimit
    protocol_version = "HTTP/1.1"
    timeout = 5  # seconds an idle connection is kept; it also bounds how long SIGTERM waits

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/health":
            return self.answer(200, {"status": "ok"})
        if not self.may_ask():
            return None
        if url.path == "/items":
            words = parse_qs(url.query).get("filter", [""])[0]
            with self.pool.connection() as connection:
                rows = connection.execute(
                    "SELECT id, title, created_at FROM items WHERE title LIKE ? ORDER BY id LIMIT 200", (f"%{words}%",)
                ).fetchall()
            return self.answer(200, [dict(row) for row in rows])
        return self.answer(404, {"error": f"there is nothing at {url.path}"})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY:
            self.close_connection = True
            return self.answer(413, {"error": "the body is too large"})
        body = self.rfile.read(length)
        if not self.may_ask():
            return None
        if urlsplit(self.path).path != "/items":
            return self.answer(404, {"error": f"there is nothing at {self.path}"})
        try:
            title = json.loads(body)["title"].strip()
        except (ValueError, KeyError, TypeError, AttributeError):
            title = ""
        if not title:
            return self.answer(400, {"error": "send a JSON object with a title"})
        with self.pool.connection() as connection:
            connection.execute("INSERT OR IGNORE INTO items (title) VALUES (?)", (title,))
            row = connection.execute("SELECT id, title, created_at FROM items WHERE title = ?", (title,)).fetchone()
        return self.answer(200, dict(row))

    def may_ask(self) -> bool:
        if self.limit.allows(self.client_address[0]):
            return True
        self.answer(429, {"error": "too many requests; try again in a few seconds"}, {"retry-after": "5"})
        return False

    def answer(self, status: int, body: object, headers: dict = {}) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(text)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        print(f"{self.address_string()} {format % args}", file=sys.stderr)


class Server(ThreadingHTTPServer):
    daemon_threads = False  # requests under way finish before the process ends
    block_on_close = True


def main() -> None:
    DATA.mkdir(parents=True, exist_ok=True)
    path = DATA / "state.sqlite"
    with sqlite3.connect(path) as first:
        first.execute(
            "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE,"
            " created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))"
        )
    Api.pool = Pool(path, POOL_SIZE)
    Api.limit = RateLimit(PER_MINUTE)
    server = Server((HOST, PORT), Api)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"TEMPLATE_SERVICE listens on {HOST}:{server.server_port}", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    Api.pool.close()
    print("stopped", flush=True)


if __name__ == "__main__":
    main()
