"""The command: reads and changes what the service keeps in ~/capabilities/TEMPLATE_NAME."""
import argparse
import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

QUERY_SECONDS = 30
DATA = Path.home() / "capabilities" / "TEMPLATE_NAME"


class Refused(Exception):
    """An expected failure: its text is for the caller."""


def open_state() -> sqlite3.Connection:
    path = DATA / "state.sqlite"
    if not path.exists():
        raise Refused("the service has not run for this user yet; start it with capstan services start TEMPLATE_NAME")
    state = sqlite3.connect(path, timeout=5)
    state.execute("PRAGMA journal_mode=WAL")
    state.row_factory = sqlite3.Row
    return state


def status(_: argparse.Namespace) -> dict:
    state = open_state()
    waiting = state.execute("SELECT count(*) FROM items WHERE status = 'waiting'").fetchone()[0]
    polled = state.execute("SELECT value FROM service WHERE key = 'polled_at'").fetchone()
    return {"waiting": waiting, "polled_at": polled[0] if polled else None}


def list_items(args: argparse.Namespace) -> list:
    rows = open_state().execute(
        "SELECT id, title, status, created_at FROM items WHERE ? IS NULL OR status = ? ORDER BY created_at, id",
        (args.status, args.status),
    )
    return [dict(row) for row in rows]


def approve(args: argparse.Namespace) -> dict:
    """Safe to repeat: an item that is approved stays approved."""
    state = open_state()
    with state:
        changed = state.execute("UPDATE items SET status = 'approved' WHERE id = ?", (args.item_id,))
    if changed.rowcount == 0:
        raise Refused(f"there is no item {args.item_id}")
    return {"id": args.item_id, "status": "approved"}


def configure(args: argparse.Namespace) -> dict:
    """Written beside and renamed: the service never reads half a file."""
    DATA.mkdir(parents=True, exist_ok=True)
    path = DATA / "config.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings[args.key] = args.value
    partial = path.with_name(f"config.json.{os.getpid()}.tmp")
    partial.write_text(json.dumps(settings))
    os.replace(partial, path)
    return settings


ACTIONS = {"status": status, "list": list_items, "approve": approve, "configure": configure}


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
    print(json.dumps(result) if args.json else "\n".join("  ".join(map(str, row.values())) for row in rows))
    return 0


def too_late(*_: object) -> None:
    raise Refused(f"it took longer than {QUERY_SECONDS} s")


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="TEMPLATE_PACKAGE")
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
