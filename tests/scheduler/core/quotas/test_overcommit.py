"""Where quotas promise more than there is: one row for each rule."""

import pytest

from scheduler.core.quotas.overcommit import find_overcommits
from tests.scheduler.core.tables import a_snapshot

Row = tuple[list[str], list[str]]
"""Quotas; what is found, as `<pool or all> <kind> of <group or all>: <promised> > <available>`."""

TABLE: dict[str, Row] = {
    "nothing promised": ([], []),
    "as much as there is": (["lab: deserved 8 cards in training"], []),
    "one card more than there is": (
        ["lab: deserved 9 cards in training"],
        ["training deserved of all: 9000 > 8000"],
    ),
    "guaranteed is also deserved": (
        ["lab: guarantee 9 cards in training"],
        ["training deserved of all: 9000 > 8000", "training guarantee of all: 9000 > 8000"],
    ),
    "all top groups together": (
        ["dept: deserved 5 cards in training", "club: deserved 4 cards in training"],
        ["training deserved of all: 9000 > 8000"],
    ),
    "what is promised below counts once": (
        ["dept: deserved 6 cards in training", "lab: deserved 5 cards in training"],
        [],
    ),
    "children together above their parent's": (
        [
            "dept: deserved 4 cards in training",
            "lab: deserved 3 cards in training",
            "vision: deserved 2 cards in training",
        ],
        ["training deserved of dept: 5000 > 4000"],
    ),
    "children together as much as their parent": (
        [
            "dept: deserved 5 cards in training",
            "lab: deserved 3 cards in training",
            "vision: deserved 2 cards in training",
        ],
        [],
    ),
    "a parent that is promised nothing itself promises what it likes": (
        ["dept: weight high in training", "lab: deserved 3 cards in training"],
        [],
    ),
    "children above the ceiling of their parent": (
        ["dept: 2 cards in training", "lab: deserved 3 cards in training"],
        ["training deserved of dept: 3000 > 2000 ceiling"],
    ),
    "children as much as the ceiling": (
        ["dept: 3 cards in training", "lab: deserved 3 cards in training"],
        [],
    ),
    "the ceiling is named before what the parent deserves": (
        ["dept: deserved 1 cards, 2 cards in training", "lab: deserved 3 cards in training"],
        ["training deserved of dept: 3000 > 2000 ceiling"],
    ),
    "guarantees against the guarantee of the parent": (
        [
            "dept: guarantee 1 cards, deserved 4 cards in training",
            "lab: guarantee 2 cards in training",
        ],
        ["training guarantee of dept: 2000 > 1000"],
    ),
    "over all pools": (
        ["lab: deserved 13 cards"],
        ["all deserved of all: 13000 > 12000"],
    ),
    "over all pools as much as there is": (["lab: deserved 12 cards"], []),
    "a pool without cards": (
        ["lab: deserved 1 cards in empty"],
        ["empty deserved of all: 1000 > 0"],
    ),
    "all of the capacity before those of groups, then by pool": (
        [
            "dept: deserved 1 cards in other",
            "lab: deserved 5 cards in other",
            "club: deserved 9 cards in training",
        ],
        [
            "other deserved of all: 5000 > 4000",
            "training deserved of all: 9000 > 8000",
            "other deserved of dept: 5000 > 1000",
        ],
    ),
    "another resource": (
        ["lab: guarantee 97 cpu in training"],
        ["training deserved of all: 97000 > 96000", "training guarantee of all: 97000 > 96000"],
    ),
    "quotas of one model are not of any": (["lab: guarantee 99 cards of B in training"], []),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_is_promised_too_much(row: Row) -> None:
    quotas, expected = row
    found = find_overcommits(
        a_snapshot(
            pools=["training", "other", "empty"],
            nodes=["n1: 8 cards", "o1: 4 cards in other"],
            groups=["dept", "lab: in dept", "vision: in dept", "club"],
            quotas=quotas,
        )
    )

    assert [
        f"{each.pool or 'all'} {each.kind} of {each.group or 'all'}: "
        f"{each.promised} > {each.available}{' ceiling' * each.is_ceiling}"
        for each in found
    ] == expected
