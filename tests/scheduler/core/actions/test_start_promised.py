"""Which promised starts happen now, and which cleared ones are given up: one row for each rule."""

from dataclasses import replace

import pytest

from scheduler.core.actions.start_promised import can_backfill, start_promised, start_reserved
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, WorkloadId
from scheduler.core.model.plan import PlannedReservation, PlannedStart
from scheduler.core.reservation.cleared import keep_cleared
from scheduler.core.reservation.published import keep_published
from scheduler.core.reservation.reservations import reserve_start
from scheduler.core.timeline.pool_timeline import GangStart
from scheduler.core.timeline.reserved_starts import Reservation
from tests.scheduler.core.tables import TRAINING, a_ledger, a_snapshot, a_waiting, pending


def _planned(words: str, *, is_cleared: bool = False) -> PlannedReservation:
    """Return a promise as `big at 100 on n1: 0 1 2`, in seconds, with cards of one node."""
    who, _, cards = words.partition(": ")
    name, _, at, _, node = who.split()
    devices = tuple((NodeId(node), AcceleratorId(f"{node}.{card}"), 0) for card in cards.split())
    return PlannedReservation(
        WorkloadId(name),
        TRAINING,
        Millis(int(at) * 1000),
        ((NodeId(node), 1),),
        devices=devices,
        is_cleared=is_cleared,
    )


def _site(promises: list[str], running: list[str], waiting: list[str], **more: object) -> Ledger:
    """Return the ledger of a site on which the promises of the last plan have been kept."""
    site = a_snapshot(
        nodes=more.pop("nodes", ["n1: 4 cards, 16 cpu", "n2: 4 cards, 16 cpu"]),
        running=running,
        waiting=waiting,
        **more,
    )
    ledger = Ledger(replace(site, published=tuple(map(_planned, promises))))
    ledger.begin_decision(ledger.now)
    keep_published(ledger)
    return ledger


def _said(starts: tuple[PlannedStart, ...]) -> list[str]:
    """Return each start with its cards."""
    return [
        f"{start.workload}: {' '.join(card for each in start.placements for card, _ in each.devices)}"
        for start in starts
    ]


Row = tuple[list[str], list[str], list[str], list[str], list[str]]
"""Promises, running work, waiting work; what starts, and what is promised after that."""

BIG = "big: 4 cards, limit 600"
TABLE: dict[str, Row] = {
    "when its cards are free": (
        ["big at 100 on n1: 0 1 2 3"],
        *([], [BIG]),
        *(["big: n1.0 n1.1 n1.2 n1.3"], []),
    ),
    "also when its time has come": (
        ["big at 0 on n1: 0 1 2 3"],
        *([], [BIG]),
        *(["big: n1.0 n1.1 n1.2 n1.3"], []),
    ),
    "not while one of its cards is held": (
        ["big at 100 on n1: 0 1 2 3"],
        ["a: 1 cards on n1, ends in 100 s", "b: 1 cards on n2, ends in 900 s"],
        *([BIG], [], ["big"]),
    ),
    "beside a card of the node that is held": (
        ["big at 100 on n1: 1 2 3"],
        ["a: 1 cards on n1, ends in 900 s"],
        *(["big: 3 cards"], ["big: n1.1 n1.2 n1.3"], []),
    ),
    "not without the CPU": (
        ["big at 100 on n1: 2 3"],
        ["a: 2 cards on n1, 16 cpu, ends in 100 s", "b: 4 cards on n2, ends in 900 s"],
        *(["big: 2 cards, 1 cpu"], [], ["big"]),
    ),
    "each in its turn": (
        ["one at 100 on n2: 0 1 2 3", "two at 100 on n1: 0 1 2 3"],
        [],
        ["two: 4 cards", "one: 4 cards"],
        *(["one: n2.0 n2.1 n2.2 n2.3", "two: n1.0 n1.1 n1.2 n1.3"], []),
    ),
    "not one that would take what another was promised": (
        ["one at 100 on n1: 0 1 2 3", "two at 700 on n1: 0 1"],
        ["a: 3 cards on n1, ends in 100 s", "b: 4 cards on n2"],
        ["one: 4 cards, limit 600", "two: 1 cards, limit 600"],
        *([], ["one", "two"]),
    ),
    "nothing for work that no longer waits": (
        ["gone at 100 on n1: 0 1 2 3"],
        *([], [BIG]),
        *([], []),
    ),
    "nothing for work that is held now": (
        ["big at 100 on n1: 0 1 2 3"],
        *([], [f"{BIG}, held waiting_to_retry"]),
        *([], []),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_promised_work_starts_on_its_cards(row: Row) -> None:
    promises, running, waiting, expected, left = row
    ledger = _site(promises, running, waiting)

    starts = tuple(start_promised(ledger))

    assert _said(starts) == expected
    assert [each.workload.id for each in ledger.starts] == left
    for start in starts:
        assert start.workload in ledger.running
        assert start.workload not in ledger.pending


def test_a_start_beyond_a_quota_waits() -> None:
    ledger = _site(
        ["big at 100 on n1: 0 1 2 3"],
        ["a: 1 cards on n2, ends in 50 s"],
        [BIG],
        quotas=["lab: 4 cards"],
    )

    assert tuple(start_promised(ledger)) == ()
    assert WorkloadId("big") in ledger.pending


def test_a_start_on_a_node_that_is_not_heard_waits() -> None:
    ledger = _site(
        ["big at 100 on n1: 0 1 2 3"], [], [BIG], nodes=["n1: 4 cards, unready", "n2: 2 cards"]
    )
    assert [each.workload.id for each in ledger.starts] == ["big"]

    assert tuple(start_promised(ledger)) == ()
    assert [each.workload.id for each in ledger.starts] == ["big"]


def test_work_that_was_started_meanwhile_is_not_started_again() -> None:
    ledger = _site(["big at 100 on n1: 0 1 2 3"], [], [BIG])
    starts = start_promised(ledger)
    ledger.withdraw(WorkloadId("big"))

    assert tuple(starts) == ()


def test_the_plan_names_the_version_that_was_decided_on() -> None:
    site = a_snapshot(nodes=["n1: 4 cards"], waiting=[BIG])
    (work,) = site.pending
    planned = _planned("big at 100 on n1: 0 1 2 3")
    ledger = Ledger(replace(site, pending=(replace(work, version=7),), published=(planned,)))
    ledger.begin_decision(ledger.now)
    keep_published(ledger)

    (start,) = start_promised(ledger)

    assert (start.workload, start.version, start.reservation) == ("big", 7, None)


def test_a_start_waits_for_its_own_cards_though_others_are_free() -> None:
    ledger = a_ledger(["n1: 4 cards"], ["a: 1 cards on n1, ends in 100 s"], ["big: 2 cards"])
    devices = frozenset(_planned("big at 100 on n1: 0 1").devices)
    start = GangStart(100_000, ((NodeId("n1"), 1),), pinned=devices)
    ledger.starts.add(Reservation(pending(ledger, "big"), start))

    assert tuple(start_promised(ledger)) == ()
    ledger.release(WorkloadId("a"))

    assert [each.workload for each in start_promised(ledger)] == ["big"]


# Starting beside what is reserved for all others.


def test_a_start_that_does_not_fit_stays_reserved_as_it_was() -> None:
    ledger = a_ledger(
        ["n1: 4 cards"], ["a: 2 cards on n1, ends in 100 s"], ["big: 4 cards", "next: 2 cards"]
    )
    for name in ("big", "next"):
        assert reserve_start(pending(ledger, name), ledger)
    before, state = tuple(ledger.starts), ledger.starts.state
    unreserved = ledger.unreserved[TRAINING][NodeId("n1")]

    assert start_reserved(before[1], ledger) is None

    assert tuple(ledger.starts) == before
    assert ledger.starts.state == state
    assert ledger.unreserved[TRAINING][NodeId("n1")] == unreserved
    assert set(ledger.running) == {"a"}


SHORT: dict[str, tuple[str, bool]] = {
    "it ends before the other start": ("limit 99", True),
    "it ends with it": ("limit 100", True),
    "it would delay it": ("limit 101", False),
    "nobody knows when it ends": ("open end", False),
}


@pytest.mark.parametrize("row", SHORT.values(), ids=SHORT)
def test_promised_work_may_use_what_is_reserved_for_others_if(row: tuple[str, bool]) -> None:
    words, expected = row
    ledger = a_ledger(
        ["n1: 4 cards"],
        ["a: 2 cards on n1, ends in 100 s"],
        ["big: 4 cards", f"next: 2 cards, {words}"],
    )
    for name in ("big", "next"):
        assert reserve_start(pending(ledger, name), ledger)
    reservation = ledger.starts.find(WorkloadId("next"), TRAINING)
    assert reservation is not None

    assert (start_reserved(reservation, ledger) is not None) is expected
    assert (WorkloadId("next") in ledger.running) is expected
    assert [each.workload.id for each in ledger.starts] == (
        ["big"] if expected else ["big", "next"]
    )


UNTIL: dict[str, tuple[str, int | None, bool]] = {
    "nothing is reserved": ("open end", None, True),
    "it has left by then": ("limit 100", 100, True),
    "it has left a moment before": ("limit 99", 100, True),
    "it leaves a moment too late": ("limit 101", 100, False),
    "its end is open": ("open end", 1 << 40, False),
    "the start may come now": ("limit 1", 0, False),
}


@pytest.mark.parametrize("row", UNTIL.values(), ids=UNTIL)
def test_work_may_pass_a_reserved_start_where(row: tuple[str, int | None, bool]) -> None:
    words, until, expected = row
    moment = None if until is None else Millis(until * 1000)

    assert can_backfill(a_waiting(f"1 cards, {words}"), moment, a_ledger()) is expected


# What was cleared.


def _cleared(running: list[str], waiting: list[str], promise: str, **more: object) -> Ledger:
    ledger = a_ledger(["n1: 4 cards, 16 cpu", "o1: 4 cards in other"], running, waiting, **more)
    planned = _planned(promise, is_cleared=True)
    assert keep_cleared(planned, pending(ledger, "big"), ledger)
    return ledger


OTHER = {"pools": ["training", "other"]}


def test_work_starts_on_what_was_cleared_for_it_once_that_has_left() -> None:
    ledger = _cleared([], ["big: 4 cards", "other: 4 cards"], "big at 100 on n1: 0 1 2 3", **OTHER)

    assert _said(tuple(start_promised(ledger))) == ["big: n1.0 n1.1 n1.2 n1.3"]
    assert not ledger.starts


def test_it_waits_for_what_is_still_there() -> None:
    ledger = _cleared(
        ["a: 1 cards on n1, stopping for big"],
        ["big: 4 cards"],
        "big at 100 on n1: 0 1 2 3",
        **OTHER,
    )

    assert tuple(start_promised(ledger)) == ()
    assert [each.workload.id for each in ledger.starts] == ["big"]


def test_it_waits_for_a_quota_as_long_as_something_leaves_and_not_for_ever() -> None:
    quotas = ["lab: 4 cards"]
    words = ["s: 1 cards on o1 in other, stopping", "r: 1 cards on o1 in other"]
    promise = "big at 100 on n1: 0 1 2 3"

    leaving = _cleared(words, ["big: 4 cards"], promise, quotas=quotas, **OTHER)
    assert tuple(start_promised(leaving)) == ()
    assert [each.workload.id for each in leaving.starts] == ["big"]

    staying = _cleared(words[1:], ["big: 4 cards"], promise, quotas=quotas, **OTHER)
    assert tuple(start_promised(staying)) == ()
    assert not staying.starts
    assert WorkloadId("big") in staying.pending
    assert len(staying.free[TRAINING][NodeId("n1")].whole_cards()) == 4


def test_what_was_cleared_and_can_no_longer_be_used_is_given_up() -> None:
    ledger = _cleared(
        ["s: 1 cards on o1 in other, stopping"],
        ["big: 4 cards, 8 cpu"],
        "big at 100 on n1: 0 1 2 3",
        **OTHER,
    )
    node = NodeId("n1")
    ledger.free[TRAINING][node] = ledger.free[TRAINING][node]._replace(cpu_milli=-9000)
    ledger.unreserved[TRAINING][node] = ledger.free[TRAINING][node]

    assert tuple(start_promised(ledger)) == ()
    assert not ledger.starts


def test_cleared_cards_of_a_lender_are_borrowed() -> None:
    ledger = a_ledger(
        ["n1: 1 cards", "o1: 4 cards in other"],
        [],
        ["big: 2 cards, preemptible", "still: 2 cards"],
        pools=["training: falls back to other", "other"],
    )
    for name, cards in (("big", "0 1"), ("still", "2 3")):
        planned = _planned(f"{name} at 100 on o1: {cards}", is_cleared=True)
        assert keep_cleared(planned, pending(ledger, name), ledger)

    assert _said(tuple(start_promised(ledger))) == ["big: o1.0 o1.1"]
    assert not ledger.starts  # what may not leave its pool has nothing to wait for there
    assert WorkloadId("still") in ledger.pending
