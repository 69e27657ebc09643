"""The actions. Each prints one JSON document with --json, and words without.

Failures go to stderr with a non-zero exit code: 1 = the action failed, 2 = the arguments are wrong.
"""
import argparse
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

FILE_SECONDS = 120  # file operations; use 30 for queries


class Refused(Exception):
    """An expected failure: its text is for the caller."""


def stats(path: Path) -> dict:
    text = path.read_text(encoding="utf-8", errors="replace")
    return {"path": str(path), "lines": len(text.splitlines()), "words": len(text.split()), "bytes": path.stat().st_size}


def save(path: Path, text: str) -> dict:
    """Written beside and renamed: whoever reads meanwhile sees the old file or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".save-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise
    return {"path": str(path), "bytes": len(text.encode())}


def run(argv: list) -> int:
    if argv in (["--help"], ["-h"]):
        print(json.dumps(manifest(), indent=2))
        return 0
    args = parser().parse_args(argv)
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(FILE_SECONDS)
    try:
        result = stats(Path(args.file_path)) if args.action == "stats" else save(Path(args.file_path), args.text)
    except (Refused, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result) if args.json else ", ".join(f"{key}: {value}" for key, value in result.items()))
    return 0


def too_late(*_: object) -> None:
    raise Refused(f"it took longer than {FILE_SECONDS} s")


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="TEMPLATE_PACKAGE")
    actions = whole.add_subparsers(dest="action", required=True)
    for action in manifest()["actions"]:
        one = actions.add_parser(action["name"], help=action["description"])
        for parameter in action["parameters"]:
            if parameter == "--json":
                one.add_argument("--json", action="store_true", help="print JSON")
            else:
                one.add_argument(parameter["name"], help=parameter["description"])
    return whole


def manifest() -> dict:
    """In the wheel it lies in the package, in the project beside pyproject.toml."""
    here = Path(__file__).parent
    for place in (here / "manifest.json", here.parent.parent / "manifest.json"):
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))
    raise SystemExit("error: manifest.json is missing from the package")
