"""Run many seeds: `python -m tests.simulation --seeds 10000`; exit status 1 when one fails."""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields

from tests.simulation.bugs import Bugs
from tests.simulation.world import Verdict, World


def main() -> int:
    """Run the seeds, print every failure with how to see it again, and a summary."""
    options = _options()
    seeds = range(options.start, options.start + options.seeds)
    bugs = Bugs(**dict.fromkeys(options.bug, True))
    if options.seeds == 1:
        verdict = World(options.start, bugs).run()
        print("\n".join(verdict.trace))
        _report(verdict, options.bug)
        return 1 if verdict.violations else 0
    failed = 0
    with ProcessPoolExecutor(options.jobs) as workers:
        for verdict in workers.map(_run, seeds, [bugs] * len(seeds), chunksize=10):
            if verdict.violations:
                failed += 1
                _report(verdict, options.bug)
    print(f"{len(seeds)} seeds from {options.start}: {failed} with a violation")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many; 1 prints the trace")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument(
        "--bug",
        action="append",
        default=[],
        choices=[field.name for field in fields(Bugs)],
        help="plant this bug; may be repeated",
    )
    return parser.parse_args()


def _run(seed: int, bugs: Bugs) -> Verdict:
    return World(seed, bugs).run()


def _report(verdict: Verdict, bugs: list[str]) -> None:
    for found in verdict.violations:
        print(f"seed {verdict.seed}: {found.invariant}: {found.subject}: {found.detail}")
    if verdict.violations:
        planted = "".join(f" --bug {bug}" for bug in bugs)
        print(f"  again: python -m tests.simulation --seeds 1 --start {verdict.seed}{planted}")


if __name__ == "__main__":
    sys.exit(main())
