"""Work that starts inside an open advance reservation: one row for each rule."""

from dataclasses import replace

import pytest

from scheduler.core.actions.start_inside import start_inside
from scheduler.core.ledger import Ledger
from tests.scheduler.core.tables import a_ledger, a_snapshot

Row = tuple[str, list[str], str]
"""The window of a reservation of two cards of n1 for vision, waiting work; what starts inside."""

OPEN = "from -600 to 9000"
TABLE: dict[str, Row] = {
    "work of its group": (OPEN, ["a: 2 cards of vision"], "a"),
    "of a group below it": (OPEN, ["a: 2 cards of speech"], "a"),
    "not of another group": (OPEN, ["a: 2 cards of lab"], ""),
    "not before it opens": ("from 1 to 9000", ["a: 2 cards of vision"], ""),
    "from the moment when it opens": ("from 0 to 9000", ["a: 2 cards of vision"], "a"),
    "not once it is over": ("from -600 to 0", ["a: 2 cards of vision"], ""),
    "as far as its devices reach": (
        OPEN,
        ["a: 1 cards of vision", "b: 1 cards of vision", "c: 1 cards of vision"],
        "a b",
    ),
    "smaller work behind what does not fit": (
        OPEN,
        ["a: 3 cards of vision", "b: 1 cards of vision"],
        "b",
    ),
    "a gang as a whole": (OPEN, ["a: 1 cards, 2 ranks of vision"], "a"),
    "no part of a gang": (OPEN, ["a: 1 cards, 3 ranks of vision"], ""),
    "not what is held": (OPEN, ["a: 1 cards of vision, held waiting_to_retry"], ""),
    "not what needs no cards": (OPEN, ["a: 1 cpu of vision"], ""),
    "what ends soon enough after it": (OPEN, ["a: 1 cards of vision, limit 9300"], "a"),
    "not what would run on": (OPEN, ["a: 1 cards of vision, limit 9301"], ""),
    "an environment of any length": (OPEN, ["a: 1 cards of vision, environment, limit 99999"], "a"),
    "evictable work of any length": (OPEN, ["a: 1 cards of vision, preemptible, limit 99999"], "a"),
    "not shortly before the end": (
        "from -600 to 600",
        ["a: 1 cards of vision, preemptible, limit 99999"],
        "",
    ),
    "of its members": (f"{OPEN}, by wu", ["a: 1 cards of vision by wu"], "a"),
    "not of other members": (f"{OPEN}, by wu", ["a: 1 cards of vision by li"], ""),
    "not work of another pool": (OPEN, ["a: 1 cards of vision in other"], ""),
    "not beyond a ceiling": (OPEN, ["a: 1 cards of club"], ""),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_starts_inside(row: Row) -> None:
    window, waiting, expected = row
    ledger = a_ledger(
        ["n1: 4 cards", "o1: 4 cards in other"],
        [],
        waiting,
        pools=["training", "other"],
        groups=["lab", "vision", "speech: in vision", "club: in vision"],
        quotas=["club: 0 cards in training"],
        reservations=[f"course: 2 cards on n1, for vision, {window}"],
    )

    starts = start_inside(tuple(ledger.pending.values()), ledger)

    assert " ".join(start.workload for start in starts) == expected
    for start in starts:
        devices = {card for each in start.placements for card, _ in each.devices}
        assert devices <= {"n1.0", "n1.1"}
        assert start.reservation == "course"
        ends_at = ledger.running[start.workload].ends_at
        assert ends_at is None or ends_at <= 9_000_000


def test_nothing_starts_inside_in_a_closed_pool() -> None:
    ledger = a_ledger(
        waiting=["a: 1 cards"],
        pools=["training: closed"],
        reservations=["course: 2 cards on n1, for lab, from -600 to 9000"],
    )

    assert start_inside(tuple(ledger.pending.values()), ledger) == ()


def test_the_second_reservation_takes_what_the_first_has_no_room_for() -> None:
    ledger = a_ledger(
        waiting=["a: 1 cards", "b: 2 cards", "c: 1 cards"],
        reservations=[
            "one: 1 cards on n1 card 0, for lab, from -600 to 9000",
            "two: 3 cards on n1 card 1, for lab, from -500 to 9000",
        ],
    )

    starts = start_inside(tuple(ledger.pending.values()), ledger)

    assert [(start.workload, start.reservation) for start in starts] == [("a", "one"), ("c", "two")]


SHARE_OF: dict[str, tuple[int, int, str]] = {
    "shares start too": (300, 3, "w0 w1 w2"),
    "as many as a reserved card has room for": (300, 5, "w0 w1 w2"),
    "the smallest share is work for cards": (1, 1, "w0"),
}


@pytest.mark.parametrize("row", SHARE_OF.values(), ids=SHARE_OF)
def test_shares_of_a_reserved_card(row: tuple[int, int, str]) -> None:
    milli, count, expected = row
    site = a_snapshot(
        nodes=["n1: 2 cards"],
        waiting=[f"w{number}: 1 ranks" for number in range(count)],
        reservations=["course: 1 cards on n1, for lab, from -600 to 9000"],
    )
    ledger = Ledger(
        replace(
            site,
            accelerators=tuple(replace(card, is_fractional=True) for card in site.accelerators),
            pending=tuple(
                replace(work, request=replace(work.request, gpu_milli=milli))
                for work in site.pending
            ),
        )
    )

    starts = start_inside(tuple(ledger.pending.values()), ledger)

    assert " ".join(start.workload for start in starts) == expected
    assert {card for start in starts for each in start.placements for card, _ in each.devices} == {
        "n1.0"
    }


def test_work_that_quotas_leave_no_card_waits() -> None:
    ledger = a_ledger(
        waiting=["a: 1 cards", "b: 1 cards of club"],
        groups=["lab", "club: in lab"],
        quotas=["lab: 0 cards of A"],
        reservations=["course: 2 cards on n1, for lab, from -600 to 9000"],
    )

    assert start_inside(tuple(ledger.pending.values()), ledger) == ()
