"""Whether one group may reclaim from another: one row for each rule, in one pool, in the tree, over all."""

import pytest

from scheduler.core.model.entities import GroupId
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.quotas.fair_share import FairShares, ResourceShare
from scheduler.core.quotas.reclaim_rule import (
    above_deserved,
    can_reclaim,
    is_more_saturated,
    stays_within_deserved,
)
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


TABLE |= {
    "not from below a group that holds just what it deserves": (
        ["own: deserved 4 cards in training", "west: deserved 8 cards in training"],
        ["8 cards on n1 of rich"],
        *("rich", 4, False),
    ),
    "nor from below one that holds just that over all pools": (
        ["own: deserved 4 cards in training", "west: deserved 8 cards"],
        ["8 cards on n1 of rich"],
        *("rich", 4, False),
    ),
    "just what it deserves over all pools, from a group inside its fair share": (
        ["own: deserved 4 cards, weight none", "rich: deserved 1 cards"],
        ["4 cards on n1 of rich"],
        *("rich", 4, True),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_who_may_reclaim(row: Row) -> None:
    quotas, running, victim, cards, expected = row
    shares = _shares(quotas, running, "8 cards of own")
    cost = Resources(gpu=cards * 1000)

    assert can_reclaim(shares, GroupId("own"), GroupId(victim), cost, TRAINING) is expected


Several = tuple[list[str], list[str], Resources, bool]
"""Quotas, running work; what `own` wants of GPUs and of CPU; whether it may reclaim from `rich`."""

SEVERAL: dict[str, Several] = {
    "what it deserves of both, where one is above in GPUs alone": (
        [
            *("own: deserved 4 cards in training", "own: deserved 4 cpu in training"),
            "rich: deserved 4 cpu in training",
        ],
        ["8 cards on n1 of rich"],
        *(Resources(gpu=4000, cpu=4000), True),
    ),
    "not what it deserves of GPUs alone": (
        [
            *("own: deserved 4 cards in training", "own: deserved 4 cpu in training"),
            "rich: deserved 90 cpu in training",
        ],
        ["8 cards on n1 of rich, 11 cpu"],
        *(Resources(gpu=4000, cpu=99_000), False),
    ),
    "nothing that is beyond its fair share of either": (
        ["own: deserved 1 cpu in training"],
        ["8 cards on n1 of rich, 11 cpu"],
        *(Resources(gpu=1000, cpu=99_000), False),
    ),
    "GPUs, whatever is asked of what nobody is promised": (
        ["own: deserved 4 cards in training"],
        ["8 cards on n1 of rich"],
        *(Resources(gpu=4000, cpu=99_000), True),
    ),
}


@pytest.mark.parametrize("row", SEVERAL.values(), ids=SEVERAL)
def test_who_may_reclaim_several_resources(row: Several) -> None:
    quotas, running, cost, expected = row
    shares = _shares(quotas, running, "8 cards of own, 8 cpu")

    assert can_reclaim(shares, GroupId("own"), GroupId("rich"), cost, TRAINING) is expected


SATURATED: dict[str, tuple[tuple[int, int], tuple[int, int], bool]] = {
    "more of the same share": ((3, 4), (2, 4), True),
    "as much of the same share": ((2, 4), (2, 4), False),
    "less of the same share": ((1, 4), (2, 4), False),
    "the same part of another share": ((1, 2), (2, 4), False),
    "a part that is greater by very little": ((334, 1000), (1, 3), True),
    "a part that is smaller by very little": ((333, 1000), (1, 3), False),
    "anything of no share is more than a part of one": ((1, 0), (9, 4), True),
    "nothing of no share": ((0, 0), (1, 4), False),
    "something against nothing": ((1, 4), (0, 4), True),
    "nothing against nothing": ((0, 4), (0, 9), False),
}


@pytest.mark.parametrize("row", SATURATED.values(), ids=SATURATED)
def test_who_is_more_saturated(row: tuple[tuple[int, int], tuple[int, int], bool]) -> None:
    (held, of), (other_held, other_of), expected = row
    one = ResourceShare(allocated=held, fair_share=of)
    other = ResourceShare(allocated=other_held, fair_share=other_of)

    assert is_more_saturated(one, other) is expected


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
