"""The terms of groups, summed up the tree: one row for each rule of the sum."""

import pytest

from scheduler.core.model.entities import GroupId, PoolId
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource
from scheduler.core.quotas.group_tree import GroupTree, group_paths
from scheduler.core.quotas.terms import TermsByScope, sum_terms, weight_in
from tests.scheduler.core.tables import TRAINING, a_snapshot

OTHER = PoolId("other")
GPU, CPU = Resource.GPU, Resource.CPU


def _terms(*quotas: str) -> TermsByScope:
    site = a_snapshot(
        pools=["training", "other"],
        groups=["dept", "lab: in dept", "vision: in dept", "club"],
        quotas=quotas,
    )
    return sum_terms(site, GroupTree.of(group_paths(site)))


Row = tuple[list[str], str, str, tuple[int, int, int | None]]
"""Quotas, scope and group; guarantee, deserved, ceiling."""

TERMS: dict[str, Row] = {
    "nothing without a quota": ([], "training", "lab", (0, 0, None)),
    "its own": (
        ["lab: guarantee 1 cards, deserved 2 cards, 3 cards in training"],
        *("training", "lab"),
        (1000, 2000, 3000),
    ),
    "not in another pool": (
        ["lab: guarantee 1 cards, 3 cards in training"],
        *("other", "lab"),
        (0, 0, None),
    ),
    "what is guaranteed is deserved": (
        ["lab: guarantee 2 cards, deserved 1 cards in training"],
        *("training", "lab"),
        (2000, 2000, None),
    ),
    "a parent is promised what its children are together": (
        ["lab: guarantee 1 cards in training", "vision: deserved 2 cards in training"],
        *("training", "dept"),
        (1000, 3000, None),
    ),
    "a parent that is promised more keeps that": (
        ["dept: deserved 5 cards in training", "lab: deserved 1 cards in training"],
        *("training", "dept"),
        (0, 5000, None),
    ),
    "a child is promised nothing of its parent's": (
        ["dept: deserved 5 cards in training"],
        *("training", "lab"),
        (0, 0, None),
    ),
    "ceilings are not summed": (
        ["lab: 3 cards in training"],
        *("training", "dept"),
        (0, 0, None),
    ),
    "the smaller of two ceilings holds in a pool": (
        ["lab: 3 cards in training", "lab: 2 cards"],
        *("training", "lab"),
        (0, 0, 2000),
    ),
    "the smaller may be the pool's": (
        ["lab: 3 cards in training", "lab: 4 cards"],
        *("training", "lab"),
        (0, 0, 3000),
    ),
    "a ceiling of nothing is one": (
        ["lab: 0 cards in training", "lab: 4 cards"],
        *("training", "lab"),
        (0, 0, 0),
    ),
    "a ceiling over all pools holds in each": (["lab: 2 cards"], "other", "lab", (0, 0, 2000)),
    "a promise over all pools is none of a pool": (
        ["lab: deserved 2 cards"],
        *("training", "lab"),
        (0, 0, None),
    ),
    "over all pools its own": (
        ["lab: guarantee 1 cards, deserved 2 cards, 3 cards"],
        *("", "lab"),
        (1000, 2000, 3000),
    ),
    "over all pools at least what pools promise together": (
        [
            "lab: guarantee 1 cards, deserved 2 cards in training",
            "lab: guarantee 2 cards, deserved 4 cards in other",
            "lab: guarantee 1 cards, deserved 1 cards",
        ],
        *("", "lab"),
        (3000, 6000, None),
    ),
    "over all pools a parent is promised what its children are": (
        [
            "lab: deserved 2 cards",
            "vision: deserved 3 cards in training",
            "vision: deserved 1 cards",
        ],
        *("", "dept"),
        (0, 5000, None),
    ),
    "a ceiling of a pool is none over all": (
        ["lab: 3 cards in training", "club: deserved 1 cards"],
        *("", "lab"),
        (0, 0, None),
    ),
}


@pytest.mark.parametrize("row", TERMS.values(), ids=TERMS)
def test_terms_of_a_group(row: Row) -> None:
    quotas, pool, group, expected = row
    terms = _terms(*quotas)[PoolId(pool) if pool else None, GPU][GroupId(group)]

    assert (terms.guarantee, terms.deserved, terms.ceiling) == expected


WEIGHTS: dict[str, tuple[list[str], str, str]] = {
    "medium without a quota": ([], "training", "medium"),
    "of the pool": (["lab: weight high in training", "lab: weight low"], "training", "high"),
    "over all pools where the pool has none": (
        ["lab: weight high in training", "lab: weight low"],
        *("other", "low"),
    ),
    "over all pools": (["lab: weight none, deserved 1 cards"], "", "none"),
    "medium over all pools without a quota there": (["club: deserved 1 cards"], "", "medium"),
}


@pytest.mark.parametrize("row", WEIGHTS.values(), ids=WEIGHTS)
def test_weight_of_a_group(row: tuple[list[str], str, str]) -> None:
    quotas, pool, expected = row

    terms = _terms(*quotas)[PoolId(pool) if pool else None, GPU]

    assert terms[GroupId("lab")].weight is OverQuotaWeight(expected)


SCOPES: dict[str, tuple[list[str], set[tuple[str | None, Resource]]]] = {
    "GPUs in every pool": ([], {("training", GPU), ("other", GPU)}),
    "another resource where it is promised": (
        ["lab: guarantee 4 cpu in training"],
        {("training", GPU), ("other", GPU), ("training", CPU)},
    ),
    "not where it only has a ceiling": (
        ["lab: 4 cpu in training", "lab: 4 cards"],
        {("training", GPU), ("other", GPU)},
    ),
    "all pools together where a quota over all promises something": (
        ["lab: deserved 4 cards"],
        {("training", GPU), ("other", GPU), (None, GPU)},
    ),
    "the same of another resource": (
        ["lab: guarantee 4 cpu"],
        {("training", GPU), ("other", GPU), (None, CPU)},
    ),
    "quotas of one model promise nothing of any": (
        ["lab: guarantee 4 cards of B"],
        {("training", GPU), ("other", GPU)},
    ),
}


@pytest.mark.parametrize("row", SCOPES.values(), ids=SCOPES)
def test_scopes_in_which_something_is_promised(
    row: tuple[list[str], set[tuple[str | None, Resource]]],
) -> None:
    quotas, expected = row

    assert set(_terms(*quotas)) == expected


def test_promises_of_cpu_over_all_pools_count_those_of_cpu_in_pools_only() -> None:
    terms = _terms("lab: deserved 4 cards in training", "lab: guarantee 2 cpu")

    assert terms[None, CPU][GroupId("lab")].deserved == 2000


def test_weight_of_a_group_by_its_quotas() -> None:
    rows = {
        row.pool: row
        for row in a_snapshot(quotas=["lab: weight high in training", "lab: weight low"]).quotas
    }

    assert weight_in(TRAINING, rows) is OverQuotaWeight.HIGH
    assert weight_in(OTHER, rows) is OverQuotaWeight.LOW
    assert weight_in(OTHER, {TRAINING: rows[TRAINING]}) is OverQuotaWeight.MEDIUM
