"""`python -m bench.replay`: published traces replayed on the scheduler's own core.

    openb …                   packing: a list of tasks placed one after the other
    philly …                  queueing: two months of jobs under a policy
    starts …                  how often expected starts are right, on the same jobs
    compare openb|philly …    several policies on one trace, beside what none could exceed

Every command prints a table, and with `--json FILE` writes its figures.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from bench.replay import compare, openb, philly, starts
from scheduler.whatif.command import Command, run_command

COMMANDS: Final[tuple[Command, ...]] = (
    openb.COMMAND,
    philly.COMMAND,
    starts.COMMAND,
    compare.WAITING,
    compare.PACKING,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 2 for arguments that make no sense, as argparse does."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.replay",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return run_command(parser, COMMANDS, sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
