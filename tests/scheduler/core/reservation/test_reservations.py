"""What a reserved start takes, and until when the rest may be used: one row for each rule."""

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import WorkloadId
from scheduler.core.reservation.reservations import (
    are_reservations_kept,
    backfill_until,
    list_reservations,
    reserve_start,
)
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, pending

Row = tuple[list[str], list[str], str, dict[str, int], int]
"""Nodes, what runs, the first in the queue; cards left unreserved, and for how many seconds the rest
may be used."""

TABLE: dict[str, Row] = {
    "what is free now and needed then is reserved": (
        ["n1: 8 cards"],
        ["a: 4 cards on n1, ends in 60 s"],
        "8 cards",
        {"n1": 0},
        60,
    ),
    "what certainly comes free in time is taken before what is free": (
        ["n1: 8 cards"],
        ["a: 4 cards on n1, ends in 60 s"],
        "6 cards",
        {"n1": 2},
        60,
    ),
    "what is free is taken before what comes free at an unknown time": (
        ["n1: 8 cards"],
        ["a: 5 cards on n1, limit 60"],
        "6 cards",
        {"n1": 0},
        0,
    ),
    "what is free is taken before the cards of work that is stopping": (
        ["n1: 8 cards"],
        ["a: 4 cards on n1, stopping"],
        "6 cards",
        {"n1": 0},
        0,
    ),
    "only the nodes of the start are reserved": (
        ["n1: 8 cards", "n2: 8 cards"],
        ["a: 6 cards on n1, ends in 60 s", "b: 6 cards on n2, ends in 90 s"],
        "8 cards",
        {"n1": 0, "n2": 2},
        60,
    ),
    "CPU is reserved like cards": (
        ["n1: 8 cards, 16 cpu"],
        ["a: 8 cards on n1, 8 cpu, ends in 60 s"],
        "8 cards, 16 cpu",
        {"n1": 0},
        60,
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_a_reservation_leaves(row: Row) -> None:
    nodes, running, asked, unreserved, until_s = row
    ledger = a_ledger(nodes, running, [f"first: {asked}"], now=1000)

    assert reserve_start(pending(ledger, "first"), ledger)

    view = ledger.unreserved[TRAINING]
    assert {node: len(view[node].whole_cards()) for node in view} == unreserved
    assert backfill_until(TRAINING, ledger) == ledger.now + until_s * 1000


def test_reserved_cpu_is_not_for_work_behind() -> None:
    ledger = a_ledger(
        ["n1: 8 cards, 16 cpu"],
        ["a: 4 cards on n1, 8 cpu, ends in 60 s"],
        ["first: 8 cards, 16 cpu"],
    )

    reserve_start(pending(ledger, "first"), ledger)

    assert ledger.free[TRAINING][N1].cpu_milli == 8000
    assert ledger.unreserved[TRAINING][N1].cpu_milli == 0


def test_nothing_is_reserved_for_work_that_today_s_nodes_cannot_hold() -> None:
    ledger = a_ledger(waiting=["first: 9 cards"])

    assert not reserve_start(pending(ledger, "first"), ledger)

    assert ledger.starts.by_pool == {}
    assert backfill_until(TRAINING, ledger) is None


def test_the_second_reservation_starts_from_what_the_first_leaves() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards"],
        ["a: 8 cards on n1, ends in 60 s", "b: 8 cards on n2, ends in 90 s"],
        ["first: 8 cards", "second: 8 cards"],
    )

    for name in ("first", "second"):
        reserve_start(pending(ledger, name), ledger)

    assert _reserved(ledger) == [("first", 60, N1), ("second", 90, N2)]
    assert backfill_until(TRAINING, ledger) == 60_000


@pytest.mark.parametrize(
    ("work", "kept"),
    [("short: 8 cards, limit 60", True), ("long: 8 cards, limit 61", False)],
    ids=["work that ends in time delays nothing", "work that ends later delays the start"],
)
def test_a_reservation_is_kept(work: str, kept: bool) -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards"],
        ["a: 8 cards on n1, ends in 60 s"],
        ["first: 8 cards, 2 ranks", work],
    )
    reserve_start(pending(ledger, "first"), ledger)
    other = pending(ledger, work.partition(":")[0])
    (placement,) = ledger.free[TRAINING].matrix.fill(
        other.request, 1, ledger.free[TRAINING].matrix.only_nodes(frozenset({N2}))
    )[1]

    ledger.allocate(other, (placement,))

    assert are_reservations_kept(TRAINING, ledger) is kept


def _reserved(ledger: Ledger) -> list[tuple[WorkloadId, int, str]]:
    return [
        (each.workload, each.starts_at // 1000, each.nodes[0][0])
        for each in list_reservations(ledger)
    ]
