"""`python -m tests.scheduler.promises --worlds 1000`: every rule on many more worlds, with and without open ends."""

import argparse
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.scheduler.promises.checkers import RULES
from tests.scheduler.promises.history import Story
from tests.scheduler.promises.open_end_checkers import OPEN_END_RULES
from tests.scheduler.promises.open_worlds import make_open_world
from tests.scheduler.promises.play import play
from tests.scheduler.promises.worlds import make_world


def main() -> int:
    """Play the worlds, print what was broken and in which of them, and a summary; 1 when something was."""
    parser = argparse.ArgumentParser(prog="python -m tests.scheduler.promises", description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000, help="of each of the two sorts")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    seeds = range(options.start, options.start + options.worlds)
    with ProcessPoolExecutor(options.jobs) as workers:
        run = partial(workers.map, chunksize=5)
        broken = _report("limited", seeds, run(_limited, seeds), len(RULES))
        rules = len(RULES) + len(OPEN_END_RULES)
        broken += _report("open ends", seeds, run(_open, seeds), rules)
    return int(broken > 0)


def _report(sort: str, seeds: range, answers: Iterable[list[str]], rules: int) -> int:
    broken = 0
    for seed, found in zip(seeds, answers, strict=True):
        broken += bool(found)
        for fault in found:
            print(f"BROKEN {sort}, seed {seed}: {fault}", flush=True)
    print(
        f"{sort}: {len(seeds)} worlds from {seeds.start}, {rules} rules: {broken} broken",
        flush=True,
    )
    return broken


def _limited(seed: int) -> list[str]:
    story = Story(play(make_world(seed)))
    return [f"{rule.__name__}: {found}" for rule in RULES for found in rule(story)]


def _open(seed: int) -> list[str]:
    story = Story(play(make_open_world(seed), explained=True))
    return [
        f"{rule.__name__}: {found}" for rule in (*RULES, *OPEN_END_RULES) for found in rule(story)
    ]


if __name__ == "__main__":
    sys.exit(main())
