"""`python -m tests.mutation.rules`: the core with one rule changed at a time; exit 1 when none minds.

--seconds 300     how long; a sample of the changes then, another with each --seed
--seed 1          which sample
--jobs 2          processes at once
--write           bring the list of survivors up to date instead of comparing with it
quotas/aside.py   only these modules
"""

import argparse
import sys
from collections import Counter
from random import Random
from typing import Final

import pytest

from tests.mutation.rules import survivors
from tests.mutation.rules.changes import ROOT, Change, changes_of_core
from tests.mutation.rules.run import ChangesRun

TESTS: Final = (
    "tests/scheduler/core",
    "tests/scheduler/fairness/test_rules.py",
    "tests/scheduler/fairness/test_standing.py",
    "tests/invariants",
)
"""Tables of the core; what draws examples there is left out."""


def main(words: list[str] | None = None) -> int:
    """Run a sample, or all; 0 only when every survivor is listed."""
    asked = _read(words)
    changes = list(changes_of_core(frozenset(asked.modules)))
    Random(asked.seed).shuffle(changes)
    run = run_changes(changes, asked.seconds, asked.jobs, asked.tests or TESTS)
    if run.is_red:
        print("a test fails without any change")
        return 1
    return report(run, len(changes), is_writing=asked.write)


def run_changes(
    changes: list[Change], seconds: float, jobs: int, tests: tuple[str, ...]
) -> ChangesRun:
    """Run the tests against each change, as far as the time goes."""
    run = ChangesRun(changes, seconds, jobs)
    paths = [str(ROOT / path) for path in tests]
    pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-p", "no:randomly", *paths], plugins=[run])
    return run


def report(run: ChangesRun, total: int, *, is_writing: bool) -> int:
    """Print what survived, and compare it with the list or write that."""
    tried = len(run.noticed) + len(run.survived)
    by_module = Counter(change.module for change in run.survived)
    for module, count in sorted(by_module.items()):
        print(f"{module:<44}{count:>5}")
    print(f"{tried} of {total} changes tried, {len(run.survived)} survive")
    if is_writing:
        survivors.write(run.noticed, run.survived)
        survivors.drop_strangers(changes_of_core())
        return 0
    new = survivors.unlisted(run.survived, survivors.read())
    for change in new:
        print(f"survives: {change.module} {change.key}")
    return int(bool(new))


def _read(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.rules")
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tests", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
