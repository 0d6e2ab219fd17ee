"""Whether one group may reclaim from another: one row for each rule, in one pool, in the tree, over all."""

import pytest

from scheduler.core.model.entities import GroupId
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.reclaim_rule import above_deserved, can_reclaim, stays_within_deserved
from tests.scheduler.core.tables import TRAINING, a_snapshot


def _shares(quotas: list[str], running: list[str], waiting: str = "") -> FairShares:
    return FairShares.from_snapshot(
        a_snapshot(
            pools=["training", "other"],
            nodes=["n1: 8 cards", "o1: 8 cards in other"],
            groups=["east", "own: in east", "twin: in east", "west", "rich: in west"],
            quotas=quotas,
            running=[f"r{number}: {words}" for number, words in enumerate(running)],
            waiting=[f"w: {waiting}"] if waiting else [],
        )
    )


Row = tuple[list[str], list[str], str, int, bool]
"""Quotas, running work, the victim's group; cards that `own` wants; whether it may reclaim them."""

TABLE: dict[str, Row] = {
    "inside what it deserves from a group above that": (
        ["own: deserved 4 cards in training", "rich: deserved 4 cards in training"],
        ["5 cards on n1 of rich"],
        *("rich", 4, True),
    ),
    "not from a group that holds just what it deserves": (
        ["own: deserved 4 cards in training", "rich: deserved 4 cards in training"],
        ["4 cards on n1 of rich"],
        *("rich", 4, False),
    ),
    "not a card more than it deserves": (
        ["own: deserved 4 cards in training", "rich: deserved 4 cards in training"],
        ["8 cards on n1 of rich"],
        *("rich", 5, False),
    ),
    "what it holds counts": (
        ["own: deserved 4 cards in training", "rich: deserved 3 cards in training"],
        ["2 cards on n1 of own", "6 cards on n1 of rich"],
        *("rich", 3, False),
    ),
    "from its twin": (
        ["own: deserved 2 cards in training", "twin: deserved 2 cards in training"],
        ["8 cards on n1 of twin"],
        *("twin", 2, True),
    ),
    "not from itself": (
        ["own: deserved 4 cards in training"],
        ["8 cards on n1 of own"],
        *("own", 1, False),
    ),
    "not from a group above it": (
        ["own: deserved 4 cards in training"],
        ["8 cards on n1 of east"],
        *("east", 1, False),
    ),
    "what its twin holds counts for the group above both": (
        ["own: deserved 4 cards in training", "twin: deserved 1 cards in training"],
        ["3 cards on n1 of twin", "5 cards on n1 of rich"],
        *("rich", 4, False),
    ),
    "nothing is deserved: only beyond the fair share": (
        [],
        ["8 cards on n1 of rich"],
        *("rich", 4, True),
    ),
    "no more than the fair share": ([], ["8 cards on n1 of rich"], "rich", 5, False),
    "a card that leaves both with their fair share": (
        [],
        ["5 cards on n1 of rich", "3 cards on n1 of own"],
        *("rich", 1, True),
    ),
    "not from a group inside its fair share": (
        [],
        ["4 cards on n1 of rich", "3 cards on n1 of own"],
        *("rich", 1, False),
    ),
    "what is deserved over all pools": (
        ["own: deserved 4 cards", "rich: deserved 4 cards"],
        ["8 cards on n1 of rich"],
        *("rich", 4, True),
    ),
    "beyond that its fair share of the pool": (
        ["own: deserved 4 cards", "rich: deserved 4 cards"],
        ["4 cards on o1 of own in other", "8 cards on n1 of rich"],
        *("rich", 4, True),
    ),
    "not more than both": (
        ["own: deserved 4 cards", "rich: deserved 4 cards"],
        ["4 cards on o1 of own in other", "8 cards on n1 of rich"],
        *("rich", 5, False),
    ),
    "not from a group inside what it deserves over all pools": (
        ["own: deserved 4 cards", "rich: deserved 8 cards"],
        ["8 cards on n1 of rich"],
        *("rich", 1, False),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_who_may_reclaim(row: Row) -> None:
    quotas, running, victim, cards, expected = row
    shares = _shares(quotas, running, "8 cards of own")
    cost = Resources(gpu=cards * 1000)

    assert can_reclaim(shares, GroupId("own"), GroupId(victim), cost, TRAINING) is expected


ABOVE: dict[str, tuple[list[str], list[str], int]] = {
    "all of it where nothing is deserved": ([], ["3 cards on n1 of rich"], 3000),
    "what exceeds the pool's promise": (
        ["rich: deserved 1 cards in training"],
        ["3 cards on n1 of rich"],
        2000,
    ),
    "nothing inside it": (
        ["rich: deserved 4 cards in training"],
        ["3 cards on n1 of rich"],
        0,
    ),
    "nothing inside what is deserved over all pools": (
        ["rich: deserved 3 cards"],
        ["3 cards on n1 of rich"],
        0,
    ),
    "the less of both": (
        ["rich: deserved 1 cards in training", "rich: deserved 2 cards"],
        ["4 cards on n1 of rich"],
        2000,
    ),
}


@pytest.mark.parametrize("row", ABOVE.values(), ids=ABOVE)
def test_what_a_group_can_lose(row: tuple[list[str], list[str], int]) -> None:
    quotas, running, expected = row
    shares = _shares(quotas, running)

    assert above_deserved(shares, GroupId("rich"), TRAINING, Resource.GPU) == expected


@pytest.mark.parametrize(("cards", "expected"), [(1, True), (2, True), (3, False)])
def test_a_group_stays_within_what_it_deserves(cards: int, expected: bool) -> None:
    shares = _shares(["own: deserved 4 cards in training"], ["2 cards on n1 of own"])
    cost = Resources(gpu=cards * 1000)

    assert stays_within_deserved(shares, GroupId("own"), cost, TRAINING) is expected
