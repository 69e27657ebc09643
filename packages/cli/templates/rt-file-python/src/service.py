"""The background service: turns events into items and triggers, one user per instance.

Events are JSON files that something puts into ~/capabilities/TEMPLATE_NAME/incoming (written as .tmp, then renamed).
Every step can be repeated: a crash between two of them loses nothing and doubles nothing.
"""
import json
import os
import signal
import sqlite3
import sys
import threading
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

HOME = Path(os.environ.get("HOME", "/home/agentaech"))
OUTBOX = Path(os.environ.get("TRIGGER_OUTBOX", "/triggers/outbox"))
USER = os.environ.get("DELEGATED_USER", "")
POLL_SECONDS = float(os.environ.get("POLL_INTERVAL", "60"))
KEEP_DAYS = float(os.environ.get("KEEP_DAYS", "30"))

DATA = HOME / "capabilities" / "TEMPLATE_NAME"
INCOMING = DATA / "incoming"


def open_state() -> sqlite3.Connection:
    """WAL: the command reads and writes while the service does."""
    state = sqlite3.connect(DATA / "state.sqlite", timeout=5)
    state.execute("PRAGMA journal_mode=WAL")
    state.execute(
        "CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'waiting',"
        " trigger_id TEXT NOT NULL, triggered INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL)"
    )
    state.execute("CREATE TABLE IF NOT EXISTS service (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    state.commit()
    return state


def poll(state: sqlite3.Connection) -> int:
    """One look: take in events, write triggers, clean up. Answers how many triggers were written."""
    with state:
        state.execute("INSERT OR REPLACE INTO service VALUES ('polled_at', ?)", (now(),))
    if config().get("paused") == "true":
        return 0
    for file in sorted(INCOMING.glob("*.json")):
        take_in(state, file)
    written = 0
    for row in state.execute("SELECT id, title, trigger_id, created_at FROM items WHERE triggered = 0").fetchall():
        write_trigger(*row)
        with state:
            state.execute("UPDATE items SET triggered = 1 WHERE id = ?", (row[0],))
        written += 1
    clean_up(state)
    return written


def take_in(state: sqlite3.Connection, file: Path) -> None:
    try:
        title = str(json.loads(file.read_text(encoding="utf-8"))["title"])
    except (ValueError, KeyError, TypeError) as error:
        print(f"{file.name} is no event: {error}", file=sys.stderr)
        file.rename(file.with_suffix(".invalid"))
        return
    with state:
        row = (file.stem, title, str(uuid.uuid4()), now())
        state.execute("INSERT OR IGNORE INTO items (id, title, trigger_id, created_at) VALUES (?, ?, ?, ?)", row)
    file.unlink()


def write_trigger(item_id: str, title: str, trigger_id: str, created_at: str) -> None:
    """The id was stored with the item, so that a repeated write is the same trigger."""
    trigger = {
        "id": trigger_id,
        "user": USER,
        "type": "item_waiting",
        "created_at": created_at,
        "payload": {"item_id": item_id, "title": title},
        "dedupe_key": f"item:{item_id}",
    }
    atomic_write(OUTBOX / f"{trigger_id}.json", json.dumps(trigger))


def atomic_write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.tmp")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def clean_up(state: sqlite3.Connection) -> None:
    """Settled items and abandoned files go after a while."""
    oldest = datetime.fromtimestamp(time.time() - KEEP_DAYS * 86400, timezone.utc).isoformat()
    with state:
        state.execute("DELETE FROM items WHERE status = 'approved' AND created_at < ?", (oldest,))
    for file in [*INCOMING.glob("*.tmp"), *INCOMING.glob("*.invalid")]:
        if file.stat().st_mtime < time.time() - KEEP_DAYS * 86400:
            file.unlink()


def config() -> dict:
    try:
        return json.loads((DATA / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main() -> None:
    if not USER:
        sys.exit("error: DELEGATED_USER is not set")
    INCOMING.mkdir(parents=True, exist_ok=True)
    OUTBOX.mkdir(parents=True, exist_ok=True)
    stopped = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopped.set())
    state = open_state()
    print(f"TEMPLATE_SERVICE works for {USER}, polling every {POLL_SECONDS:g} s", flush=True)
    while not stopped.is_set():
        poll(state)
        stopped.wait(POLL_SECONDS)
    state.close()
    print("stopped", flush=True)


if __name__ == "__main__":
    main()
