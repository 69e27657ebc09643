"""aech-cli-inbox: list-drafts, approve, search. Failures go to stderr with a non-zero exit code."""
import argparse
import json
import re
import signal
import sqlite3
import sys
from pathlib import Path

QUERY_SECONDS = 30
DATA = Path.home() / "capabilities" / "inbox-assistant"


class Refused(Exception):
    """An expected failure: its text is for the caller."""


def open_state() -> sqlite3.Connection:
    path = DATA / "state.sqlite"
    if not path.exists():
        raise Refused("the inbox assistant has not run for this user yet")
    state = sqlite3.connect(path, timeout=5)
    state.execute("PRAGMA journal_mode=WAL")
    state.row_factory = sqlite3.Row
    return state


def list_drafts(args: argparse.Namespace) -> list:
    rows = open_state().execute(
        "SELECT 'draft-' || number AS id, recipient, subject, body, status, created_at FROM drafts WHERE status = ? ORDER BY number",
        (args.status or "waiting",),
    )
    return [dict(row) for row in rows]


def approve(args: argparse.Namespace) -> dict:
    """Safe to repeat: a draft that was approved or sent stays as it is."""
    number = re.fullmatch(r"draft-(\d+)", args.draft_id)
    state = open_state()
    row = number and state.execute("SELECT status FROM drafts WHERE number = ?", (int(number[1]),)).fetchone()
    if not row:
        raise Refused(f"there is no draft {args.draft_id}")
    if row["status"] == "waiting":
        with state:
            state.execute("UPDATE drafts SET status = 'approved' WHERE number = ?", (int(number[1]),))
    return {"id": args.draft_id, "status": "approved" if row["status"] == "waiting" else row["status"]}


def search(args: argparse.Namespace) -> list:
    words = args.query.split()
    where = " AND ".join(["(subject || ' ' || body || ' ' || sender) LIKE ? ESCAPE '\\'"] * len(words)) or "1"
    patterns = ["%" + re.sub(r"([\\%_])", r"\\\1", word) + "%" for word in words]
    query = f"SELECT id, sender, subject, substr(body, 1, 300) AS excerpt, received_at FROM mails WHERE {where} ORDER BY received_at DESC LIMIT 50"
    return [dict(row) for row in open_state().execute(query, patterns)]


ACTIONS = {"list-drafts": list_drafts, "approve": approve, "search": search}


def cli() -> None:
    sys.exit(run(sys.argv[1:]))


def run(argv: list) -> int:
    if argv in (["--help"], ["-h"]):
        print(json.dumps(manifest(), indent=2))
        return 0
    args = parser().parse_args(argv)
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(QUERY_SECONDS)
    try:
        result = ACTIONS[args.action](args)
    except (Refused, OSError, sqlite3.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    rows = result if isinstance(result, list) else [result]
    print(json.dumps(result) if args.json else "\n".join("  ".join(str(row[key]) for key in list(row)[:3] if key in row) for row in rows))
    return 0


def too_late(*_: object) -> None:
    raise Refused(f"it took longer than {QUERY_SECONDS} s")


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="aech-cli-inbox")
    actions = whole.add_subparsers(dest="action", required=True)
    for action in manifest()["actions"]:
        one = actions.add_parser(action["name"], help=action["description"])
        for parameter in action["parameters"]:
            if parameter == "--json":
                one.add_argument("--json", action="store_true")
            else:
                one.add_argument(parameter["name"], choices=parameter.get("choices"), help=parameter.get("description"))
    return whole


def manifest() -> dict:
    here = Path(__file__).parent
    for place in (here / "manifest.json", here.parent / "manifest.json"):
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))
    raise SystemExit("error: manifest.json is missing from the package")


if __name__ == "__main__":
    cli()
