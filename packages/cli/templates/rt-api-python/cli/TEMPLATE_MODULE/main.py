"""The command: asks the service over HTTP. SERVICE_URL says where it is."""
import argparse
import json
import os
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

QUERY_SECONDS = 30
SERVICE_URL = os.environ.get("SERVICE_URL", "http://TEMPLATE_SERVICE:8080")


class Refused(Exception):
    """An expected failure: its text is for the caller."""


def ask(path: str, body: object = None) -> object:
    data = None if body is None else json.dumps(body).encode()
    request = Request(SERVICE_URL + path, data=data, headers={"content-type": "application/json"})
    try:
        with urlopen(request, timeout=QUERY_SECONDS) as answer:
            return json.load(answer)
    except HTTPError as error:
        raise Refused(f"the service answered {error.code}: {error.read(2000).decode(errors='replace')}") from error
    except (URLError, TimeoutError) as error:
        raise Refused(f"the service at {SERVICE_URL} does not answer: {error}") from error


def query(args: argparse.Namespace) -> object:
    return ask("/items?" + urlencode({"filter": args.filter} if args.filter else {}))


def add(args: argparse.Namespace) -> object:
    """Safe to repeat: the service keeps each title once."""
    return ask("/items", {"title": args.title})


ACTIONS = {"query": query, "add": add}


def cli() -> None:
    sys.exit(run(sys.argv[1:]))


def run(argv: list) -> int:
    if argv in (["--help"], ["-h"]):
        print(json.dumps(manifest(), indent=2))
        return 0
    args = parser().parse_args(argv)
    try:
        result = ACTIONS[args.action](args)
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    rows = result if isinstance(result, list) else [result]
    print(json.dumps(result) if args.json else "\n".join(f"{row['id']}: {row['title']}" for row in rows))
    return 0


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="TEMPLATE_PACKAGE")
    actions = whole.add_subparsers(dest="action", required=True)
    for action in manifest()["actions"]:
        one = actions.add_parser(action["name"], help=action["description"])
        for parameter in action["parameters"]:
            if parameter == "--json":
                one.add_argument("--json", action="store_true")
            else:
                one.add_argument(parameter["name"], help=parameter.get("description"))
    return whole


def manifest() -> dict:
    here = Path(__file__).parent
    for place in (here / "manifest.json", here.parent / "manifest.json"):
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))
    raise SystemExit("error: manifest.json is missing from the package")


if __name__ == "__main__":
    cli()
