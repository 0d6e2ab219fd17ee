"""`python -m tests.scheduler.fairness --examples 5000`: the same rules on many more clusters.

`--figures` measures instead: how far decayed use is from the truth, and how long the line takes.
"""

import argparse
import sys
import time

from hypothesis import HealthCheck, given, seed, settings

from tests.scheduler.fairness.figures import decay_errors, line_seconds, queue_of
from tests.scheduler.fairness.properties import PROPERTIES, Property


def main() -> int:
    """Check every rule; say how many worlds it held on; 1 if one broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.scheduler.fairness")
    parser.add_argument("--examples", type=int, default=5000, help="worlds for each rule")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="RULE", help="a part of its name")
    parser.add_argument("--figures", action="store_true", help="measure, do not check")
    options = parser.parse_args()
    if options.figures:
        print_figures()
        return 0
    broken = 0
    for rule in PROPERTIES:
        if options.only is None or options.only in rule.name:
            broken += _checked(rule, options.examples, options.seed)
    return int(broken > 0)


def _checked(rule: Property, examples: int, number: int) -> int:
    tried = 0

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(rule.worlds)
    def holds(world: object) -> None:
        nonlocal tried
        tried += 1
        rule.check(world)

    began = time.perf_counter()
    try:
        holds()
    except AssertionError as error:
        print(f"BROKEN {rule.name} after {tried} worlds: {error}")
        return 1
    print(f"ok     {rule.name}: {tried} worlds, {time.perf_counter() - began:.1f} s")
    return 0


def print_figures() -> None:
    """Print both tables."""
    print(
        "decayed use after three half-lives, two tenants in turns; error in % of all cards for ever"
    )
    for name, error in decay_errors().items():
        print(f"  {name}: {error:.5f}")
    print("forming the line, best of five, in seconds of CPU")
    for waiting in (5_000, 10_000, 20_000, 50_000):
        print(f"  {waiting} waiting: {line_seconds(queue_of(waiting)):.3f} s")


if __name__ == "__main__":
    sys.exit(main())
