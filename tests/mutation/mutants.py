"""What is taken away, and which tests must notice it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from django.db import transaction

from scheduler.core.invariants.checks import CHECKS, Check, Violation
from scheduler.core.invariants.facts import Facts
from tests.invariants.test_invariants import BROKEN, test_broken_promise_is_named
from tests.portal.constraints.cases import CASES
from tests.portal.constraints.catalog import Rule, disable, rules
from tests.portal.constraints.test_columns import expect_refusal
from tests.portal.constraints.test_constraints import test_rule_refuses


@dataclass(frozen=True, slots=True)
class Mutant:
    """The product without one safeguard."""

    kind: str
    name: str
    shown_as: str
    """In the table, where rules of columns share a row."""
    without: Callable[[], AbstractContextManager[None]]
    """Takes the safeguard away while it is entered."""
    tests: Sequence[Callable[[], None]]
    """Each must fail meanwhile."""

    def survived(self) -> list[str]:
        """Return the tests that stay green."""
        green = []
        for number, test in enumerate(self.tests, start=1):
            with self.without():
                try:
                    test()
                except AssertionError:
                    continue
            green.append(f"{self.name}, test {number} of {len(self.tests)}")
        return green if self.tests else [f"{self.name}, which no test is about"]


def mutants_of_database() -> Iterator[Mutant]:
    """Yield one mutant for each constraint, unique index and refusal of a trigger."""
    every = sorted(rules(), key=attrgetter("of_column", "kind", "key"))
    by_table: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in every:
        by_table[rule.table].append(rule)
    for rule in every:
        if rule.of_column:
            tests = [partial(expect_refusal, rule, by_table[rule.table])]
        else:
            tests = [partial(test_rule_refuses, case) for case in CASES if case.key == rule.key]
        kind, shown_as = str(rule.kind), str(rule)
        if rule.of_column:
            kind, shown_as = "columns", rule.table
        yield Mutant(kind, str(rule), shown_as, partial(without_rule, rule), tests)


def mutants_of_invariants() -> Iterator[Mutant]:
    """Yield one mutant for each check of what must always hold."""
    for check in CHECKS:
        name = check.__name__.removeprefix("check_")
        tests = [
            partial(test_broken_promise_is_named, promise, how)
            for promise, how in BROKEN
            if promise == name
        ]
        yield Mutant("invariant", name, name, partial(without_check, check), tests)


@contextmanager
def without_rule(rule: Rule) -> Iterator[None]:
    """Drop a rule of the database, and undo that with everything else that happens meanwhile."""
    with transaction.atomic():
        try:
            disable(rule)
            yield
        finally:
            transaction.set_rollback(True)


@contextmanager
def without_check(check: Check) -> Iterator[None]:
    """Let a check find nothing, wherever it is known."""
    code = check.__code__
    check.__code__ = _finds_nothing.__code__
    try:
        yield
    finally:
        check.__code__ = code


def _finds_nothing(facts: Facts) -> Iterator[Violation]:
    yield from ()
