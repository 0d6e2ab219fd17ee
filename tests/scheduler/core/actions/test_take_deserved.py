"""Deserved work starts in the place of starts that were promised beyond a share: a row for each rule."""

from collections.abc import Iterable

import pytest

from scheduler.core.actions.take_deserved import take_deserved
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId, WorkloadId
from scheduler.core.model.plan import MoveCause
from scheduler.core.reservation.reservations import reserve_start
from tests.scheduler.core.tables import TRAINING, a_ledger, pending


def _site(
    waiting: Iterable[str],
    deserved: Iterable[str],
    promised: Iterable[str] = ("big",),
    running: Iterable[str] = ("a: 2 cards on n1, ends in 100 s",),
    quotas: Iterable[str] = (),
) -> Ledger:
    """Return a node of four cards, of which two come free in 100 s, with starts promised."""
    ledger = a_ledger(
        ["n1: 4 cards, 16 cpu"],
        list(running),
        list(waiting),
        pools=["training", "other"],
        groups=["lab", "vision"],
        quotas=list(quotas),
    )
    ledger.deserved = frozenset(map(WorkloadId, deserved))
    for name in promised:
        assert reserve_start(pending(ledger, name), ledger)
    return ledger


def _take(ledger: Ledger) -> str:
    """Return what starts, in the order of the queue."""
    return " ".join(
        start.workload for start in take_deserved(tuple(ledger.pending.values()), ledger)
    )


BIG, OWN = "big: 4 cards, limit 600", "own: 2 cards of vision, limit 600"
Row = tuple[list[str], str, str, str]
"""Waiting work, what of it is deserved, what has a promised start; what starts."""

TABLE: dict[str, Row] = {
    "on free cards that are kept for a start beyond a share": ([BIG, OWN], "own", "big", "own"),
    "not what is not deserved": ([BIG, OWN], "", "big", ""),
    "not where nothing is promised": ([BIG, OWN], "own", "", ""),
    "not in the place of a start that is deserved itself": ([BIG, OWN], "big own", "big", ""),
    "not what needs more than is free": (
        [BIG, "own: 3 cards of vision"],
        *("own", "big", ""),
    ),
    "not what is held": ([BIG, f"{OWN}, held waiting_to_retry"], "own", "big", ""),
    "not beyond a ceiling": ([BIG, "own: 2 cards of club"], "own", "big", ""),
    "not work of another pool": ([BIG, f"{OWN}, in other"], "own", "big", ""),
    "one after the other as long as there is room": (
        [
            BIG,
            *("own: 1 cards of vision", "two: 1 cards of vision", "three: 1 cards of vision"),
        ],
        *("own two three", "big", "own two"),
    ),
    "smaller work behind what does not fit": (
        [BIG, "own: 3 cards of vision", "two: 1 cards of vision"],
        *("own two", "big", "two"),
    ),
    "only what is deserved of several": (
        [BIG, "one: 1 cards", "two: 1 cards of vision"],
        *("two", "big", "two"),
    ),
    "work with a promised start of its own that comes sooner like this": (
        [BIG, OWN],
        *("own", "big own", "own"),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_starts_in_the_place_of_others(row: Row) -> None:
    waiting, deserved, promised, expected = row
    ledger = a_ledger(
        ["n1: 4 cards, 16 cpu", "o1: 4 cards in other"],
        ["a: 2 cards on n1, ends in 100 s"],
        waiting,
        pools=["training", "other"],
        groups=["lab", "vision", "club"],
        quotas=["club: 0 cards"],
    )
    ledger.deserved = frozenset(map(WorkloadId, deserved.split()))
    for name in promised.split():
        assert reserve_start(pending(ledger, name), ledger)

    assert _take(ledger) == expected
    for name in expected.split():
        assert WorkloadId(name) in ledger.running


def test_what_moves_back_is_told_why_and_kept_again() -> None:
    ledger = _site([BIG, OWN], ["own"])
    (before,) = ledger.starts.by_pool[TRAINING]
    assert before.start.at == 100_000

    assert _take(ledger) == "own"

    (after,) = ledger.starts.by_pool[TRAINING]
    assert after.start.at == 600_000
    assert ledger.move_causes == {"big": MoveCause.DESERVED}


def test_what_does_not_move_back_has_no_cause() -> None:
    ledger = _site([BIG, "own: 2 cards of vision, limit 100"], ["own"])

    assert _take(ledger) == "own"

    (after,) = ledger.starts.by_pool[TRAINING]
    assert after.start.at == 100_000
    assert ledger.move_causes == {}


def test_a_start_that_is_deserved_is_kept_where_it_is() -> None:
    ledger = _site(
        ["mine: 3 cards of vision", BIG, "own: 1 cards of vision"],
        ["mine", "own"],
        promised=("mine", "big"),
    )

    assert _take(ledger) == "own"

    first, second = ledger.starts.by_pool[TRAINING]
    assert (first.workload.id, first.start.at) == ("mine", 100_000)
    assert second.workload.id == "big"


def test_nothing_changes_where_the_work_does_not_fit() -> None:
    ledger = _site([BIG, "own: 3 cards of vision"], ["own"])
    before, state = tuple(ledger.starts), ledger.starts.state
    unreserved = ledger.unreserved[TRAINING][NodeId("n1")]

    assert _take(ledger) == ""

    assert tuple(ledger.starts) == before
    assert ledger.starts.state == state
    assert ledger.unreserved[TRAINING][NodeId("n1")] == unreserved
    assert ledger.move_causes == {}


def test_several_starts_move_back_together_and_stay_in_order() -> None:
    ledger = _site(
        ["one: 3 cards, limit 600", "two: 4 cards, limit 600", OWN],
        ["own"],
        promised=("one", "two"),
    )

    assert _take(ledger) == "own"

    starts = ledger.starts.by_pool[TRAINING]
    assert [(each.workload.id, each.start.at) for each in starts] == [
        ("one", 600_000),
        ("two", 1_200_000),
    ]
    assert ledger.move_causes == {"one": MoveCause.DESERVED, "two": MoveCause.DESERVED}
