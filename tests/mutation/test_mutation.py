"""Every safeguard has a mutant, every mutant a test; and a mutant that nothing notices is told.

All of them run by `make mutate`; here only those that a second live copy would need.
"""

from dataclasses import replace
from typing import Final

import pytest

from scheduler.core.invariants.checks import CHECKS
from tests.mutation.mutants import Mutant, mutants_of_database, mutants_of_invariants
from tests.portal.constraints.catalog import rules

pytestmark = pytest.mark.django_db

SECOND_COPY: Final = {
    "workloads_allocation.allocation_one_live_per_rank",
    "workloads_allocation.allocation_once_per_epoch",
    "single_container",
}


def _mutants() -> list[Mutant]:
    return [*mutants_of_invariants(), *mutants_of_database()]


def test_every_safeguard_has_a_mutant_and_a_test() -> None:
    mutants = _mutants()

    assert len(mutants) == len(CHECKS) + len(rules())
    assert [mutant.name for mutant in mutants if not mutant.tests] == []


def test_what_keeps_work_single_is_missed_when_it_is_gone() -> None:
    found = [mutant for mutant in _mutants() if mutant.name in SECOND_COPY]

    assert {mutant.name for mutant in found} == SECOND_COPY
    assert [mutant.survived() for mutant in found] == [[], [], []]
    assert [mutant.survived() for mutant in found] == [[], [], []], "the first time left traces"


def test_mutant_that_nothing_notices_survives() -> None:
    mutant = replace(_mutants()[0], tests=[lambda: None])

    assert len(mutant.survived()) == 1
    assert len(replace(mutant, tests=[]).survived()) == 1
