"""Which promised starts are kept, and what is said to be the cause where one is not."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, WorkloadId
from scheduler.core.model.plan import MoveCause, MovedStart, PlannedReservation
from scheduler.core.model.policy import Overheads
from scheduler.core.reservation.published import (
    find_moved,
    give_up_for,
    keep_again,
    keep_published,
)
from scheduler.core.reservation.reservations import (
    PROMISED_AHEAD_S,
    is_near,
    reserve_start,
    round_up,
)
from tests.scheduler.core.tables import N1, TRAINING, a_ledger, a_snapshot, pending

NOW_S = 10_000
NODES = ("n1: 4 cards, 16 cpu", "n2: 4 cards, 16 cpu")
A = "a: 4 cards on n1, ends in 100 s, began 600 s ago"
B = "b: 4 cards on n2, ends in 9000 s, began 600 s ago"


def _promise(
    words: str, *, is_cleared: bool = False, is_promised: bool = True
) -> PlannedReservation:
    """Return a promise as `big in 100 on n1: 0 1`, made 60 s ago, with cards of one node."""
    who, _, cards = words.partition(": ")
    name, _, at, _, node = who.split()
    devices = tuple((NodeId(node), AcceleratorId(f"{node}.{card}"), 0) for card in cards.split())
    return PlannedReservation(
        WorkloadId(name),
        TRAINING,
        Millis((NOW_S + int(at)) * 1000),
        ((NodeId(node), 1),),
        devices,
        since=Millis((NOW_S - 60) * 1000),
        is_cleared=is_cleared,
        is_promised=is_promised,
    )


BIG = _promise("big in 100 on n1: 0 1 2 3")


def _site(promises: Iterable[PlannedReservation] = (BIG,), /, **changed: object) -> Ledger:
    """Return the ledger of a site with the promises of the last plan, before they are kept."""
    site = {
        "nodes": NODES,
        "running": (A, B),
        "waiting": ("big: 4 cards, limit 600",),
        "now": NOW_S,
        **changed,
    }
    ledger = Ledger(replace(a_snapshot(**site), published=tuple(promises)))
    ledger.begin_decision(ledger.now)
    return ledger


def _starts(ledger: Ledger) -> list[str]:
    """Return each reserved start with its node and the seconds until it."""
    return [
        f"{each.workload.id} in {(each.start.starts_at(ledger.now) - ledger.now) // 1000}"
        f" on {' '.join(node for node, _ in each.start.nodes)}"
        for each in ledger.starts
    ]


Row = tuple[dict[str, object], list[str], MoveCause | None]
"""What is different on the site; the starts after that, and why `big` has moved."""

HELD_LONGER = "a: 4 cards on n1, ends in 200 s, began 600 s ago"
OTHERS = {"pools": ["training", "other"]}
CAUSES: dict[str, Row] = {
    "nothing has changed": ({}, ["big in 100 on n1"], None),
    "its cards come free earlier": (
        {"running": ["a: 4 cards on n1, ends in 40 s, began 600 s ago", B]},
        ["big in 40 on n1"],
        None,
    ),
    "other cards come free much earlier": (
        {"running": [A, "b: 4 cards on n2, ends in 10 s, began 600 s ago"]},
        ["big in 10 on n2"],
        None,
    ),
    "its node is drained": (
        {"nodes": ["n1: 4 cards, draining", NODES[1]]},
        *(["big in 9000 on n2"], MoveCause.NODE),
    ),
    "its node is lost": (
        {"nodes": ["n1: 4 cards, lost", NODES[1]]},
        *(["big in 9000 on n2"], MoveCause.NODE),
    ),
    "its node is not heard, but may be again in time": (
        {"nodes": ["n1: 4 cards, unready", NODES[1]]},
        *(["big in 100 on n1"], None),
    ),
    "one of its cards is broken": (
        {"broken": ["n1: card 2 bad"]},
        *(["big in 9000 on n2"], MoveCause.NODE),
    ),
    "an advance reservation has one of its cards": (
        {"reservations": ["course: 1 cards on n1, for lab, from 300 to 99000"]},
        *(["big in 9000 on n2"], MoveCause.ADVANCE_RESERVATION),
    ),
    "work on its cards was given more time": (
        {"running": ["a: 4 cards on n1, ends in 200 s, began 600 s ago", B]},
        *(["big in 200 on n1"], MoveCause.LONGER_LIMIT),
    ),
    "work on one of its cards was given more time": (
        {
            "running": [
                "a: 1 cards on n1, ends in 200 s, began 600 s ago",
                "c: 3 cards on n1, ends in 50 s, began 600 s ago",
                B,
            ]
        },
        *(["big in 200 on n1"], MoveCause.LONGER_LIMIT),
    ),
    "work on its cards has not begun yet": (
        {"running": ["a: 4 cards on n1, ends in 200 s", B]},
        *(["big in 200 on n1"], MoveCause.OVERDUE),
    ),
    "work on its cards began after the promise": (
        {"running": ["a: 4 cards on n1, ends in 200 s, began 59 s ago", B]},
        *(["big in 200 on n1"], MoveCause.OVERDUE),
    ),
    "work on its cards began with the promise": (
        {"running": ["a: 4 cards on n1, ends in 200 s, began 60 s ago", B]},
        *(["big in 200 on n1"], MoveCause.LONGER_LIMIT),
    ),
    "the node has less CPU than before": (
        {"nodes": ["n1: 4 cards, 7 cpu", NODES[1]], "waiting": ["big: 4 cards, 8 cpu"]},
        *(["big in 9000 on n2"], MoveCause.RULES),
    ),
    "work on cards of the pool that lends to its own was given more time": (
        {**OTHERS, "nodes": ["n1: 4 cards, 16 cpu, in other"], "running": [HELD_LONGER]},
        *([], MoveCause.LONGER_LIMIT),
    ),
    "a card of the pool that lends to its own is broken": (
        {
            **OTHERS,
            "nodes": ["n1: 4 cards, 16 cpu, in other"],
            "running": [HELD_LONGER],
            "broken": ["n1: card 2 bad"],
        },
        *([], MoveCause.NODE),
    ),
    "its quota was lowered": ({"quotas": ["lab: 3 cards"]}, [], MoveCause.QUOTA),
    "there is no node for it any more": (
        {"nodes": ["n1: 4 cards, draining", "n2: 4 cards, draining"]},
        *([], MoveCause.NODE),
    ),
    "it waits for another pool now": (
        {**OTHERS, "waiting": ["big: 4 cards, in other"]},
        *([], None),
    ),
    "it has other ranks now": ({"waiting": ["big: 2 cards, 2 ranks"]}, [], None),
    "it is held": ({"waiting": ["big: 4 cards, held waiting_to_retry"]}, [], None),
    "its pool was closed": ({"pools": ["training: closed"]}, [], None),
    "it does not wait any more": ({"waiting": []}, [], None),
}


@pytest.mark.parametrize("row", CAUSES.values(), ids=CAUSES)
def test_what_becomes_of_a_promise(row: Row) -> None:
    changed, starts, cause = row
    ledger = _site(**changed)

    keep_published(ledger)

    assert _starts(ledger) == starts
    assert ledger.move_causes == ({} if cause is None else {WorkloadId("big"): cause})


DUE: dict[str, Row] = {
    "something is still there": ({}, ["big in 100 on n1"], MoveCause.OVERDUE),
    "its node is not heard": (
        {"nodes": ["n1: 4 cards, unready", NODES[1]]},
        *(["big in 9000 on n2"], MoveCause.NODE),
    ),
    "its cards are free": ({"running": [B]}, ["big in 0 on n1"], None),
}


@pytest.mark.parametrize("row", DUE.values(), ids=DUE)
def test_what_becomes_of_a_promise_whose_time_has_come(row: Row) -> None:
    changed, starts, cause = row
    ledger = _site([_promise("big in 0 on n1: 0 1 2 3")], **changed)

    keep_published(ledger)

    assert _starts(ledger) == starts
    assert ledger.move_causes == ({} if cause is None else {WorkloadId("big"): cause})


def test_what_was_not_promised_is_not_kept() -> None:
    ledger = _site([replace(BIG, is_promised=False)])

    keep_published(ledger)

    assert not ledger.starts
    assert not ledger.move_causes


def test_what_was_cleared_for_others_is_why_a_start_moves() -> None:
    first = _promise("first in 0 on n1: 0 1", is_cleared=True)
    ledger = _site(
        [first, BIG],
        running=["a: 2 cards on n1, stopping for first", B],
        waiting=["first: 2 cards, limit 5000", "big: 4 cards, limit 600"],
    )

    keep_published(ledger)

    assert [each.workload.id for each in ledger.starts.cleared.values()] == ["first"]
    assert ledger.move_causes == {"big": MoveCause.DESERVED}


def test_what_cannot_be_cleared_after_all_is_kept_like_any_other_start() -> None:
    ledger = _site([replace(BIG, is_cleared=True)])

    keep_published(ledger)

    assert not ledger.starts.cleared
    assert _starts(ledger) == ["big in 100 on n1"]


def test_promises_that_are_in_time_go_before_those_that_are_late() -> None:
    late, early = _promise("late in 50 on n1: 0 1"), _promise("early in 100 on n1: 0 1 2 3")
    ledger = _site([late, early], waiting=["late: 2 cards, limit 600", "early: 4 cards, limit 600"])

    keep_published(ledger)

    assert _starts(ledger) == ["early in 100 on n1", "late in 700 on n1"]
    assert ledger.move_causes == {"late": MoveCause.LONGER_LIMIT}


def test_starts_keep_their_order_on_the_same_cards() -> None:
    first, second = BIG, _promise("next in 700 on n1: 0 1 2 3")
    ledger = _site([first, second], waiting=["big: 4 cards, limit 600", "next: 4 cards, limit 600"])

    keep_published(ledger)

    assert _starts(ledger) == ["big in 100 on n1", "next in 700 on n1"]
    assert ledger.move_causes == {}


# What a plan says has moved.


def _at(seconds: int, name: str = "big", *, is_promised: bool = True) -> PlannedReservation:
    return _promise(f"{name} in {seconds} on n1: 0 1 2 3", is_promised=is_promised)


Moved = tuple[list[PlannedReservation], list[PlannedReservation], list[tuple[str, int | None]]]
MOVED: dict[str, Moved] = {
    "nothing where all is as before": ([_at(100)], [_at(100)], []),
    "nothing where it is earlier": ([_at(100)], [_at(40)], []),
    "what is later": ([_at(100)], [_at(101)], [("big", 101)]),
    "what is gone": ([_at(100)], [], [("big", None)]),
    "what is no promise any more": (
        [_at(100)],
        [_at(100, is_promised=False)],
        [("big", None)],
    ),
    "nothing that was no promise": ([_at(100, is_promised=False)], [], []),
    "nothing that no longer waits": ([_at(100, "gone")], [], []),
    "nothing that is new": ([], [_at(100)], []),
    "each of several": (
        [_at(100), _at(200, "next")],
        [_at(300), _at(200, "next")],
        [("big", 300)],
    ),
}


@pytest.mark.parametrize("row", MOVED.values(), ids=MOVED)
def test_which_starts_are_told_to_have_moved(row: Moved) -> None:
    before, after, expected = row
    ledger = _site((), waiting=["big: 4 cards", "next: 4 cards"])

    moved = find_moved(before, after, ledger)

    assert [
        (each.workload, None if each.starts_at is None else each.starts_at // 1000 - NOW_S)
        for each in moved
    ] == expected


WHY: dict[str, tuple[MoveCause | None, list[str], MoveCause]] = {
    "what was found out before": (MoveCause.RULES, ["lab: 3 cards"], MoveCause.RULES),
    "a quota that refuses it now": (None, ["lab: 3 cards"], MoveCause.QUOTA),
    "else something is behind its time": (None, [], MoveCause.OVERDUE),
}


@pytest.mark.parametrize("row", WHY.values(), ids=WHY)
def test_the_cause_that_is_told(row: tuple[MoveCause | None, list[str], MoveCause]) -> None:
    known, quotas, cause = row
    ledger = _site((), quotas=quotas)
    if known is not None:
        ledger.move_causes[WorkloadId("big")] = known

    assert find_moved([BIG], [], ledger) == (
        MovedStart(WorkloadId("big"), BIG.starts_at, None, cause),
    )


# Starts that are given up and kept again.


def test_only_starts_beyond_a_share_are_given_up() -> None:
    ledger = _site((), waiting=["big: 4 cards", "mine: 4 cards", "own: 4 cards"])
    for name in ("big", "mine"):
        assert reserve_start(pending(ledger, name), ledger)
    ledger.deserved = frozenset({WorkloadId("mine")})

    given_up = give_up_for(pending(ledger, "own"), ledger)

    assert [each.workload.id for each in given_up] == ["big"]
    assert [each.workload.id for each in ledger.starts] == ["mine"]


AGAIN: dict[str, tuple[MoveCause | None, bool, dict[str, MoveCause]]] = {
    "told why where it is later": (MoveCause.DESERVED, True, {"big": MoveCause.DESERVED}),
    "told nothing where no cause is given": (None, True, {}),
    "told nothing where it is not later": (MoveCause.DESERVED, False, {}),
}


@pytest.mark.parametrize("row", AGAIN.values(), ids=AGAIN)
def test_what_is_kept_again_is(
    row: tuple[MoveCause | None, bool, dict[str, MoveCause]],
) -> None:
    cause, is_later, expected = row
    ledger = _site(
        (),
        running=["a: 2 cards on n1, ends in 100 s", B],
        waiting=["big: 4 cards", "own: 2 cards"],
    )
    assert reserve_start(pending(ledger, "big"), ledger)
    given_up = ledger.starts.drop()
    if is_later:
        assert reserve_start(pending(ledger, "own"), ledger)

    keep_again(given_up, ledger, cause)

    assert ledger.move_causes == expected
    found = ledger.starts.find(WorkloadId("big"), TRAINING)
    assert found is not None
    assert (found.start.at > given_up[0].start.at) is is_later
    assert found.start.nodes == ((N1, 1),)


# Times that are promised.

ROUNDED: dict[str, tuple[int, int, int]] = {
    "a full minute stays": (60_000, 60, 60_000),
    "the epoch stays": (0, 60, 0),
    "a millisecond more is the next": (60_001, 60, 120_000),
    "a millisecond less is this one": (59_999, 60, 60_000),
    "without rounding all is exact": (59_999, 0, 59_999),
    "a second only rounds milliseconds": (1_001, 1, 2_000),
}


@pytest.mark.parametrize("row", ROUNDED.values(), ids=ROUNDED)
def test_starts_are_promised_for_full_steps(row: tuple[int, int, int]) -> None:
    starts, step_s, expected = row
    ledger = Ledger(replace(a_snapshot(), overheads=Overheads(rounding_s=step_s)))

    assert round_up(Millis(starts), ledger) == expected


@pytest.mark.parametrize(
    ("ahead_ms", "expected"),
    [(-1, True), (0, True), (PROMISED_AHEAD_S * 1000, True), (PROMISED_AHEAD_S * 1000 + 1, False)],
)
def test_only_what_is_near_is_promised(ahead_ms: int, expected: bool) -> None:
    now = a_ledger(now=NOW_S).now

    assert is_near(Millis(now + ahead_ms), now) is expected
