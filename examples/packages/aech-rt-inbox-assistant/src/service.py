"""Inbox assistant: reads one user's mail, prepares a draft for each, and tells the agent.

Mail is .eml files in ~/capabilities/inbox-assistant/mail (written as .tmp, then renamed): whatever fetches mail puts
them there. Approved drafts leave as .eml files in .../outbox. Every step can be repeated after a crash.
"""
import email
import email.policy
import hashlib
import json
import os
import signal
import sqlite3
import sys
import threading
import time
import uuid
from datetime import datetime, timezone
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path

HOME = Path(os.environ.get("HOME", "/home/agentaech"))
TRIGGERS = Path(os.environ.get("TRIGGER_OUTBOX", "/triggers/outbox"))
USER = os.environ.get("DELEGATED_USER", "")
POLL_SECONDS = float(os.environ.get("POLL_INTERVAL", "60"))
KEEP_DAYS = float(os.environ.get("KEEP_DAYS", "30"))

DATA = HOME / "capabilities" / "inbox-assistant"
MAIL = DATA / "mail"
OUTBOX = DATA / "outbox"

TABLES = """
CREATE TABLE IF NOT EXISTS mails (
  id TEXT PRIMARY KEY, sender TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, received_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS drafts (
  number INTEGER PRIMARY KEY AUTOINCREMENT, mail_id TEXT NOT NULL UNIQUE REFERENCES mails(id), recipient TEXT NOT NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'waiting', trigger_id TEXT NOT NULL,
  triggered INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS service (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


def open_state() -> sqlite3.Connection:
    """WAL: the command reads and writes while the service does."""
    state = sqlite3.connect(DATA / "state.sqlite", timeout=5)
    state.execute("PRAGMA journal_mode=WAL")
    state.executescript(TABLES)
    return state


def poll(state: sqlite3.Connection) -> None:
    for file in sorted(MAIL.glob("*.eml")):
        take_in(state, file)
    announce(state)
    send_approved(state)
    clean_up(state)
    with state:
        state.execute("INSERT OR REPLACE INTO service VALUES ('polled_at', ?)", (now(),))


def take_in(state: sqlite3.Connection, file: Path) -> None:
    """Mail and draft in one transaction; the file goes afterwards, so that a crash in between repeats and changes nothing."""
    mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    part = mail.get_body(preferencelist=("plain", "html"))
    body = part.get_content() if part else ""
    name, sender = parseaddr(str(mail.get("from", "")))
    subject = str(mail.get("subject", "(no subject)"))
    mail_id = hashlib.sha256((str(mail.get("message-id", "")) or file.name).encode()).hexdigest()[:32]
    reply = f"Dear {name or sender},\n\nthank you for your message about \"{subject}\". I will come back to you.\n\n{USER}\n"
    with state:
        state.execute("INSERT OR IGNORE INTO mails VALUES (?, ?, ?, ?, ?)", (mail_id, sender, subject, body, now()))
        state.execute(
            "INSERT OR IGNORE INTO drafts (mail_id, recipient, subject, body, trigger_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            (mail_id, sender, f"Re: {subject}", reply, str(uuid.uuid4()), now()),
        )
    file.unlink()


def announce(state: sqlite3.Connection) -> None:
    rows = state.execute("SELECT number, subject, recipient, trigger_id, created_at FROM drafts WHERE triggered = 0").fetchall()
    for number, subject, recipient, trigger_id, created_at in rows:
        trigger = {
            "id": trigger_id,
            "user": USER,
            "type": "draft_ready",
            "created_at": created_at,
            "payload": {"draft_id": f"draft-{number}", "subject": subject, "recipient": recipient},
            "dedupe_key": f"draft:{number}",
        }
        atomic_write(TRIGGERS / f"{trigger_id}.json", json.dumps(trigger))
        with state:
            state.execute("UPDATE drafts SET triggered = 1 WHERE number = ?", (number,))


def send_approved(state: sqlite3.Connection) -> None:
    rows = state.execute("SELECT number, recipient, subject, body FROM drafts WHERE status = 'approved'").fetchall()
    for number, recipient, subject, body in rows:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = USER, recipient, subject.replace("\n", " ")
        message["Message-ID"] = f"<draft-{number}@inbox-assistant>"
        message.set_content(body)
        atomic_write(OUTBOX / f"draft-{number}.eml", message.as_string())
        with state:
            state.execute("UPDATE drafts SET status = 'sent' WHERE number = ?", (number,))


def clean_up(state: sqlite3.Connection) -> None:
    oldest = datetime.fromtimestamp(time.time() - KEEP_DAYS * 86400, timezone.utc).isoformat()
    with state:
        state.execute("DELETE FROM drafts WHERE status = 'sent' AND created_at < ?", (oldest,))
        state.execute("DELETE FROM mails WHERE received_at < ? AND id NOT IN (SELECT mail_id FROM drafts)", (oldest,))


def atomic_write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.tmp")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main() -> None:
    if not USER:
        sys.exit("error: DELEGATED_USER is not set")
    for folder in (MAIL, OUTBOX, TRIGGERS):
        folder.mkdir(parents=True, exist_ok=True)
    stopped = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopped.set())
    state = open_state()
    print(f"aech-rt-inbox-assistant reads the mail of {USER} every {POLL_SECONDS:g} s", flush=True)
    while not stopped.is_set():
        poll(state)
        stopped.wait(POLL_SECONDS)
    state.close()
    print("stopped", flush=True)


if __name__ == "__main__":
    main()
