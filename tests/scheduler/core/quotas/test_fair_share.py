"""The fair share of each group in a pool of eight cards, and what it holds there: one row for each rule."""

import pytest

from scheduler.core.model.entities import GroupId, PoolId
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.quotas.fair_share import FairShares
from tests.scheduler.core.tables import TRAINING, a_snapshot

OTHER = PoolId("other")
OWN, RICH, EAST = GroupId("own"), GroupId("rich"), GroupId("east")


def _shares(quotas: list[str], running: list[str], waiting: list[str]) -> FairShares:
    return FairShares.from_snapshot(
        a_snapshot(
            pools=["training", "other: lends to training"],
            nodes=["n1: 8 cards", "o1: 8 cards in other"],
            groups=["east", "own: in east", "twin: in east", "west", "rich: in west"],
            quotas=quotas,
            running=[f"r{number}: {words}" for number, words in enumerate(running)],
            waiting=[f"w{number}: {words}" for number, words in enumerate(waiting)],
        )
    )


Row = tuple[list[str], list[str], list[str], dict[str, int]]
"""Quotas, running work, waiting work; thousandths of the pool's cards that groups should hold."""

BOTH = ["8 cards of own", "8 cards of rich"]
SHARES: dict[str, Row] = {
    "nothing where nobody asks": ([], [], [], {"own": 0, "rich": 0, "east": 0}),
    "equal parts without quotas": ([], [], BOTH, {"own": 4000, "rich": 4000}),
    "by weight": (
        ["own: weight high, 99 cards in training", "east: weight high, 99 cards in training"],
        *([], BOTH, {"own": 5334, "rich": 2666}),
    ),
    "what one does not ask for goes to the other": (
        *([], [], ["1 cards of own", "8 cards of rich"]),
        {"own": 1000, "rich": 7000},
    ),
    "what runs is asked for too": (
        *([], ["3 cards on n1 of own"], ["8 cards of rich"]),
        {"own": 3000, "rich": 5000},
    ),
    "what is held is not asked for": (
        *([], [], ["8 cards of own, held waiting_to_retry", "8 cards of rich"]),
        {"own": 0, "rich": 8000},
    ),
    "no more than a ceiling": (
        *(["own: 1 cards in training"], [], BOTH),
        {"own": 1000, "rich": 7000},
    ),
    "no more than a ceiling over all pools": (
        *(["own: 1 cards"], [], BOTH),
        {"own": 1000, "rich": 7000},
    ),
    "first what is deserved": (
        *(["own: deserved 6 cards in training, weight none"], [], BOTH),
        {"own": 6000},
    ),
    "siblings share the part of their parent": (
        *([], [], [*BOTH, "8 cards of twin"]),
        {"east": 4000, "own": 2000, "twin": 2000, "rich": 4000},
    ),
    "what a child deserves its parent deserves": (
        *(["own: deserved 6 cards in training"], [], [*BOTH, "8 cards of twin"]),
        {"east": 7000, "own": 6500, "twin": 500, "rich": 1000},
    ),
    "what is deserved over all pools is divided among them": (
        *(["east: deserved 8 cards, weight none", "own: deserved 8 cards, weight none"], [], BOTH),
        {"east": 4000, "own": 4000, "rich": 4000},
    ),
    "by what each pool has not promised itself": (
        [
            *("east: deserved 4 cards in training, weight none", "east: deserved 8 cards"),
            *("own: deserved 4 cards in training, weight none", "own: deserved 8 cards"),
        ],
        *([], BOTH),
        {"east": 5333, "own": 5333, "rich": 2667},
    ),
    "nothing more where pools promise as much": (
        [
            *("east: deserved 4 cards in training, weight none", "east: deserved 4 cards"),
            *("own: deserved 4 cards in training, weight none", "own: deserved 4 cards"),
        ],
        *([], BOTH),
        {"east": 4000, "own": 4000, "rich": 4000},
    ),
}


@pytest.mark.parametrize("row", SHARES.values(), ids=SHARES)
def test_fair_shares_of_a_pool(row: Row) -> None:
    quotas, running, waiting, expected = row
    shares = _shares(quotas, running, waiting)

    found = {name: shares.share_of(GroupId(name), TRAINING).fair_share for name in expected}

    assert found == expected


def test_what_groups_hold_and_ask_for_is_summed_up_the_tree() -> None:
    shares = _shares(
        ["own: 5 cards in training"],
        ["2 cards on n1 of own", "1 cards on n1 of twin", "3 cards on o1 of own in other"],
        ["4 cards of own", "1 cards of east"],
    )

    found = {
        str(name): (share.allocated, share.requested)
        for name, share in shares.shares[TRAINING, Resource.GPU].items()
    }

    assert found["own"] == (2000, 5000)
    assert found["twin"] == (1000, 1000)
    assert found["east"] == (3000, 7000)
    assert found["rich"] == found["west"] == (0, 0)
    assert shares.share_of(OWN, OTHER).allocated == 3000


def test_nothing_is_divided_of_what_nobody_is_promised() -> None:
    shares = _shares([], ["2 cards on n1 of own, 8 cpu"], [])

    assert shares.share_of(OWN, TRAINING, Resource.CPU).allocated == 0
    assert (TRAINING, Resource.CPU) not in shares.shares
    assert not shares.all_pools
    promised = _shares(["rich: deserved 1 cpu in training"], ["2 cards on n1 of own, 8 cpu"], [])
    assert promised.share_of(OWN, TRAINING, Resource.CPU).allocated == 8000


# Over all pools together.

OVER_ALL: dict[str, tuple[list[str], list[str], int]] = {
    "what it holds anywhere": (
        ["own: deserved 6 cards"],
        ["2 cards on n1 of own", "1 cards on o1 of own in other"],
        3000,
    ),
    "what pools promise counts as held": (
        ["own: deserved 6 cards", "own: deserved 4 cards in training"],
        ["1 cards on o1 of own in other"],
        5000,
    ),
    "what fills such a promise counts once": (
        ["own: deserved 6 cards", "own: deserved 4 cards in training"],
        ["3 cards on n1 of own", "1 cards on o1 of own in other"],
        5000,
    ),
    "what goes beyond it counts": (
        ["own: deserved 6 cards", "own: deserved 4 cards in training"],
        ["5 cards on n1 of own"],
        5000,
    ),
    "what is borrowed counts": (
        ["own: deserved 6 cards", "own: deserved 4 cards in training"],
        ["2 cards on o1 of own in training, preemptible"],
        6000,
    ),
}


@pytest.mark.parametrize("row", OVER_ALL.values(), ids=OVER_ALL)
def test_what_counts_as_held_over_all_pools(row: tuple[list[str], list[str], int]) -> None:
    quotas, running, expected = row

    assert _shares(quotas, running, []).all_pools[Resource.GPU][OWN].allocated == expected


MORE: dict[str, tuple[int, int, int]] = {
    "nothing more": (0, 0, 4000),
    "what fills the promise of the pool": (4000, 0, 4000),
    "what goes beyond it": (5000, 0, 5000),
    "what is borrowed always": (0, 2000, 6000),
    "both": (5000, 2000, 7000),
}


@pytest.mark.parametrize("row", MORE.values(), ids=MORE)
def test_what_would_count_with_so_much_more(row: tuple[int, int, int]) -> None:
    more, borrowed, expected = row
    shares = _shares(["own: deserved 6 cards", "own: deserved 4 cards in training"], [], [])

    found = shares.allocated_over_all(OWN, TRAINING, Resource.GPU, more, borrowed)
    then = shares.with_allocation(
        OWN, TRAINING, Resources(gpu=more), borrowed=Resources(gpu=borrowed)
    )

    assert found == expected
    assert then.all_pools[Resource.GPU][OWN].allocated == expected
    assert then.all_pools[Resource.GPU][EAST].allocated == expected
    assert then.all_pools[Resource.GPU][RICH].allocated == 0
    assert then.share_of(OWN, TRAINING).allocated == more
    assert then.share_of(EAST, TRAINING).allocated == more
    assert shares.share_of(OWN, TRAINING).allocated == 0


def test_an_end_takes_back_just_what_a_start_added() -> None:
    shares = _shares(
        ["own: deserved 6 cards", "own: deserved 4 cards in training"],
        ["5 cards on n1 of own"],
        ["8 cards of rich"],
    )
    cost = Resources(gpu=2000, cpu=3000)

    back = shares.with_allocation(OWN, TRAINING, cost).with_allocation(
        OWN, TRAINING, cost, times=-1
    )

    assert back == shares
