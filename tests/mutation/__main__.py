"""`make mutate`: the product without each of its safeguards in turn; exit 1 when no test minds.

A safeguard is a constraint or trigger of the database, dropped in a database of this run's own, or
a check of what must always hold, silenced in this process. Its own tests run, and each must fail.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable
from time import monotonic

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.test")
django.setup()

from django.db import connection  # noqa: E402 - settings first, then what needs them

from tests import stores  # noqa: E402 - the same
from tests.mutation.mutants import (  # noqa: E402 - the same
    Mutant,
    mutants_of_database,
    mutants_of_invariants,
)


def main() -> int:
    """Run every mutant; 0 only when all of them are noticed."""
    begun = monotonic()
    stores.ensure_postgres()
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        survivors = report([*mutants_of_invariants(), *mutants_of_database()])
    finally:
        stores.stop_all()
    print(f"in {monotonic() - begun:.0f} s")
    return int(bool(survivors))


def report(mutants: Iterable[Mutant]) -> list[str]:
    """Print a table, rules of columns summed up by table, and return what survived."""
    rows: dict[tuple[str, str], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        rows[mutant.kind, mutant.shown_as].append(mutant)
    survivors: list[str] = []
    print(f"{'kind':<14}{'without':<64}{'tests':>6}{'red':>6}")
    for (kind, shown_as), group in rows.items():
        green = [line for mutant in group for line in mutant.survived()]
        tests = sum(len(mutant.tests) for mutant in group)
        print(f"{kind:<14}{shown_as:<64}{tests:>6}{tests - len(green):>6}", flush=True)
        survivors += green
    print(f"{sum(map(len, rows.values()))} mutants, {len(survivors)} tests that do not mind")
    for line in survivors:
        print(f"survives: {line}")
    return survivors


if __name__ == "__main__":
    sys.exit(main())
