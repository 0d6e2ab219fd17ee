"""What a group deserves and does not hold: one row for each rule."""

import pytest

from scheduler.core.model.entities import PoolId
from scheduler.core.quotas.claims import DeservedLeft, deserved_left
from tests.scheduler.core.tables import TRAINING, a_snapshot

OTHER = PoolId("other")
Left = tuple[list[str], list[str], dict[str, int], int]
"""Quotas, running work; what is left in pools, and anywhere."""

LEFT: dict[str, Left] = {
    "nothing without quotas": ([], [], {}, 0),
    "what the pool promises": (["deserved 4 cards in training"], [], {"training": 4000}, 0),
    "a guarantee is deserved": (["guarantee 4 cards in training"], [], {"training": 4000}, 0),
    "without what is held": (
        ["deserved 4 cards in training"],
        ["3 cards on n1"],
        {"training": 1000},
        0,
    ),
    "nothing where more is held": (
        ["deserved 2 cards in training"],
        ["3 cards on n1"],
        {"training": 0},
        0,
    ),
    "what is held in another pool does not count": (
        ["deserved 4 cards in training"],
        ["3 cards on o1 in other"],
        {"training": 4000},
        0,
    ),
    "a ceiling promises nothing": (["4 cards in training"], [], {"training": 0}, 0),
    "over all pools anywhere": (["deserved 4 cards"], [], {}, 4000),
    "a guarantee over all pools too": (["guarantee 4 cards"], [], {}, 4000),
    "over all pools without what is held in any": (
        ["deserved 4 cards"],
        ["1 cards on n1", "2 cards on o1 in other"],
        {},
        1000,
    ),
    "nothing anywhere where more is held": (["deserved 1 cards"], ["3 cards on n1"], {}, 0),
    "over all pools beyond what pools set aside": (
        ["deserved 4 cards in training", "deserved 6 cards"],
        [],
        {"training": 4000},
        2000,
    ),
    "work that fills a pool's promise takes nothing of the rest": (
        ["deserved 4 cards in training", "deserved 6 cards"],
        ["3 cards on n1"],
        {"training": 1000},
        2000,
    ),
    "work beyond a pool's promise takes of the rest": (
        ["deserved 4 cards in training", "deserved 6 cards"],
        ["5 cards on n1"],
        {"training": 0},
        1000,
    ),
    "work in another pool takes of the rest": (
        ["deserved 4 cards in training", "deserved 6 cards"],
        ["1 cards on o1 in other"],
        {"training": 4000},
        1000,
    ),
    "pools promise more than all together: no rest": (
        ["deserved 4 cards in training", "deserved 3 cards in other", "deserved 5 cards"],
        [],
        {"training": 4000, "other": 3000},
        0,
    ),
    "promises of other resources do not count": (
        ["guarantee 4 cpu in training", "guarantee 4 cpu"],
        [],
        {},
        0,
    ),
    "promises of one model do not count": (
        ["guarantee 4 cards of B in training", "guarantee 4 cards of B"],
        [],
        {},
        0,
    ),
}


@pytest.mark.parametrize("row", LEFT.values(), ids=LEFT)
def test_what_is_left_of_deserved_shares(row: Left) -> None:
    quotas, running, in_pool, anywhere = row
    site = a_snapshot(
        pools=["training", "other"],
        nodes=["n1: 8 cards", "o1: 8 cards in other"],
        quotas=[f"lab: {words}" for words in quotas],
        running=[f"r{number}: {words}" for number, words in enumerate(running)],
    )
    left = deserved_left(site.quotas)

    assert (left.in_pool, left.anywhere) == (in_pool, anywhere)


COVERS: dict[str, tuple[int, int, int, bool]] = {
    "less than the pool promises": (2000, 0, 1000, True),
    "as much as the pool promises": (2000, 0, 2000, True),
    "a thousandth more": (2000, 0, 2001, False),
    "the rest from anywhere": (2000, 1000, 3000, True),
    "a thousandth more than both": (2000, 1000, 3001, False),
    "only from anywhere": (0, 1000, 1000, True),
    "nothing left": (0, 0, 1, False),
}


@pytest.mark.parametrize("row", COVERS.values(), ids=COVERS)
def test_what_a_group_deserves_more(row: tuple[int, int, int, bool]) -> None:
    here, anywhere, asked, expected = row

    assert DeservedLeft({TRAINING: here}, anywhere).covers(TRAINING, asked) is expected


def test_one_pools_promise_covers_nothing_in_another() -> None:
    assert not DeservedLeft({TRAINING: 2000}).covers(OTHER, 1000)


def test_what_starts_is_taken_from_the_pools_promise_first() -> None:
    left = DeservedLeft({TRAINING: 2000}, anywhere=1000)

    left.take(TRAINING, 500)
    assert (left.in_pool[TRAINING], left.anywhere) == (1500, 1000)

    left.take(TRAINING, 2000)
    assert (left.in_pool[TRAINING], left.anywhere) == (0, 500)

    left.take(OTHER, 500)
    assert (left.in_pool[TRAINING], left.anywhere) == (0, 0)


def test_what_was_taken_beyond_all_promises_leaves_the_pools_own() -> None:
    left = DeservedLeft({TRAINING: 1000}, anywhere=500)

    left.take(OTHER, 700)

    assert left.anywhere == -200
    assert left.covers(TRAINING, 1000)
    assert not left.covers(TRAINING, 1001)
    assert left.covers(OTHER, 0)
    assert not left.covers(OTHER, 1)
