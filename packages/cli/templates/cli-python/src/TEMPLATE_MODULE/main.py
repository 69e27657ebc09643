"""Entry point of the command."""
import sys

from .cli import run


def cli() -> None:
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    cli()
