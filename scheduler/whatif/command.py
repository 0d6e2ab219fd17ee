"""The command line of the simulator and of the trace replays: commands with a table and figures."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

Figures = dict[str, object]
_VERBS: Final[Mapping[str, str]] = {
    "replay": "recorded demand under a policy",
    "compare": "several policies on one input",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One command line; `run` prints its table and returns the figures for `--json`."""

    path: tuple[str, ...]
    """`("run",)` or `("replay", "history")`."""
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Figures]


def run_command(
    parser: argparse.ArgumentParser, commands: Sequence[Command], arguments: Sequence[str]
) -> int:
    """Run one of the commands; return 2 for arguments that make no sense, as argparse does."""
    _add_commands(parser, commands)
    options = parser.parse_args(arguments)
    try:
        figures = options.command.run(options)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"whatif: {error}\n")
        return 2
    if options.json:
        _write_json(options.json, figures)
    return 0


def _add_commands(parser: argparse.ArgumentParser, commands: Sequence[Command]) -> None:
    top = parser.add_subparsers(required=True, metavar="COMMAND")
    groups = {"": top}
    for command in commands:
        verb = command.path[0] if len(command.path) > 1 else ""
        if verb not in groups:
            parent = top.add_parser(verb, help=_VERBS[verb])
            groups[verb] = parent.add_subparsers(required=True, metavar="SOURCE")
        child = groups[verb].add_parser(command.path[-1], help=command.help)
        child.add_argument("--json", metavar="FILE", help="write the figures here")
        child.set_defaults(command=command)
        command.add_arguments(child)


def _write_json(path: str, figures: Figures) -> None:
    text = json.dumps(figures, indent=2, sort_keys=True, ensure_ascii=False)
    Path(path).write_text(text + "\n", encoding="utf-8")
