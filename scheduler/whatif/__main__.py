"""`python -m scheduler.whatif`: the scheduler's own core on a virtual clock, without the portal.

    run SCENARIO              one demand played under two sets of rules, side by side
    replay history FILE       the platform's own past under changed rules
    replay openb|philly …     a published trace under a policy (python -m bench.replay)
    compare openb|philly …    several policies on a published trace, beside the bounds

Every command prints a table, and with `--json FILE` writes its figures.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Final

from scheduler.whatif import history, story
from scheduler.whatif.command import Command, run_command

COMMANDS: Final[tuple[Command, ...]] = (story.COMMAND, history.COMMAND)
_TRACES: Final = frozenset({"openb", "philly"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 2 for arguments that make no sense, as argparse does."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["replay"] and set(given[1:2]) & _TRACES:
        return _run_benchmark(given[1:])
    if given[:1] == ["compare"]:
        return _run_benchmark(given)
    parser = argparse.ArgumentParser(
        prog="python -m scheduler.whatif",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return run_command(parser, COMMANDS, given)


def _run_benchmark(arguments: Sequence[str]) -> int:
    """Run `python -m bench.replay` with these arguments.

    Traces are benchmark code. It is looked up by name, because the product must neither import the
    benchmarks nor fail to start without them and their dependencies.
    """
    try:
        replay = importlib.import_module("bench.replay.__main__")
    except ImportError as error:
        sys.stderr.write(f"whatif: traces are replayed by bench.replay, not there: {error}\n")
        return 2
    return int(replay.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
