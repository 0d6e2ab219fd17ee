"""`python -m scheduler.whatif`: the scheduler's own core on a virtual clock, without the portal.

    run SCENARIO              a story told twice, under the old rules and under ours
    replay openb|philly|…     a recorded demand under a policy
    compare …                 several policies on one input, beside the bounds

Every command prints a table, and with `--json FILE` writes its figures.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from scheduler.whatif import compare, history, openb, philly, story
from scheduler.whatif.command import Command, write_json

COMMANDS: Final[tuple[Command, ...]] = (
    story.COMMAND,
    openb.COMMAND,
    philly.COMMAND,
    history.COMMAND,
    compare.WAITING,
    compare.PACKING,
)
"""Every `run`, `compare` and `replay <source>`; a new one is a module and a line here."""

_VERBS: Final = {
    "replay": "a recorded demand under a policy",
    "compare": "several policies on one input",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 2 for arguments that make no sense, as argparse does."""
    options = _parser().parse_args(arguments)
    try:
        figures = options.command.run(options)
    except (OSError, ValueError) as error:
        print(f"whatif: {error}", file=sys.stderr)
        return 2
    if options.json:
        write_json(options.json, figures)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler.whatif", description=__doc__)
    top = parser.add_subparsers(required=True, metavar="COMMAND")
    groups = {"": top}
    for command in COMMANDS:
        verb = command.path[0] if len(command.path) > 1 else ""
        if verb not in groups:
            parent = top.add_parser(verb, help=_VERBS[verb])
            groups[verb] = parent.add_subparsers(required=True, metavar="SOURCE")
        group = groups[verb]
        child = group.add_parser(command.path[-1], help=command.help)
        child.add_argument("--json", metavar="FILE", help="write the figures here")
        child.set_defaults(command=command)
        command.add_arguments(child)
    return parser


if __name__ == "__main__":
    sys.exit(main())
