"""Nothing that the database refuses is forgotten, and each refusal names its rule."""

from collections.abc import Collection, Mapping
from typing import Any, Final, TypeAlias

import pytest
from django.db import transaction

from portal.inventory.models import Accelerator, Node
from portal.workloads.models import Allocation, Workload
from scheduler.core.model.states import (
    ACCELERATOR_TRANSITIONS,
    ALLOCATION_TRANSITIONS,
    NODE_TRANSITIONS,
    WORKLOAD_TRANSITIONS,
)
from tests.portal.constraints.cases import CASES, LATER, Case
from tests.portal.constraints.catalog import disable, named_in_models, rules
from tests.portal.constraints.refusals import refusal_of
from tests.portal.constraints.rows import Rows

pytestmark = pytest.mark.django_db

Machine: TypeAlias = tuple[Any, str, Mapping[Any, Collection[Any]]]


def test_every_rule_with_a_name_has_a_case() -> None:
    named = {rule.key for rule in rules() if not rule.of_column}

    assert {case.key for case in CASES} == named


def test_models_promise_nothing_that_the_database_does_not_keep() -> None:
    kept = {rule.name for rule in rules()}

    assert named_in_models() - kept == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.event}")
def test_rule_refuses(case: Case) -> None:
    attempt = case.prepare()
    for rule in rules() if case.below else ():
        if case.below in (rule.name, rule.trigger):
            disable(rule)

    _, name = refusal_of(attempt)

    assert name == case.rule


MACHINES: Final[tuple[Machine, ...]] = (
    (Workload, "workload_legal_transition", WORKLOAD_TRANSITIONS),
    (Allocation, "allocation_legal_transition", ALLOCATION_TRANSITIONS),
    (Node, "node_legal_transition", NODE_TRANSITIONS),
    (Accelerator, "accelerator_legal_transition", ACCELERATOR_TRANSITIONS),
)


@pytest.mark.parametrize(
    ("model", "rule", "table"), MACHINES, ids=[rule for _, rule, _ in MACHINES]
)
def test_triggers_refuse_exactly_the_edges_that_the_code_does_not_have(
    model: Any, rule: str, table: Mapping[Any, Collection[Any]]
) -> None:
    refused = {
        (source, target)
        for source in table
        for target in table
        if _change_of_state(model, source, target) == rule
    }

    legal = {(source, target) for source in table for target in table[source]}
    every = {(source, target) for source in table for target in table if source != target}
    assert refused == every - legal


def _change_of_state(model: Any, source: str, target: str) -> str:
    """Return by which rule a row in one state is refused another."""
    with transaction.atomic():
        released = {"released_at": LATER} if source == "released" else {}
        row = Rows().one(model, state=source, **released)
        _, name = refusal_of(lambda: model.objects.filter(pk=row.pk).update(state=target))
        transaction.set_rollback(True)
    return name
