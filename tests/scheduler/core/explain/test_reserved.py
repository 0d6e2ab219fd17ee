"""What advance reservations keep from waiting work, as it is told: one row for each rule."""

import pytest

from scheduler.core.explain.reserved import ReservedReasons
from scheduler.core.model.reasons import ReasonCode
from tests.scheduler.core.tables import a_ledger, pending

Row = tuple[list[str], str, tuple[int, int, str] | None]
"""Reservations, the waiting work; from and until when (seconds), and the name if it is its own."""

COURSE = "course: 2 cards on n1, for vision, from 600 to 900"
TALK = "talk: 1 cards on n1 card 2, for lab, from 700 to 1200"

TABLE: dict[str, Row] = {
    "nothing is reserved": ([], "4 cards", None),
    "work that is over before": ([COURSE], "4 cards, limit 480", None),
    "work that would reach into the window": (
        [COURSE],
        *("4 cards, limit 481", (600, 900, "")),
    ),
    "work that fits beside the devices": ([COURSE], "2 cards", None),
    "a card more than there is beside them": ([COURSE], "3 cards", (600, 900, "")),
    "the name is for its own group": ([COURSE], "3 cards of vision", (600, 900, "course")),
    "and for its own members": (
        [f"{COURSE}, by wu"],
        *("3 cards of vision by li", (600, 900, "")),
    ),
    "all that keep it away, from the first to the last": (
        [COURSE, TALK],
        *("2 cards of club", (600, 1200, "")),
    ),
    "its own alone among several": ([COURSE, TALK], "2 cards of lab", (700, 1200, "talk")),
    "only those into which it would reach": (
        [COURSE, TALK],
        *("3 cards of club, limit 500", (600, 900, "")),
    ),
    "the window that is open": (
        ["course: 2 cards on n1, for vision, from -600 to 900"],
        *("3 cards", (-600, 900, "")),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_is_kept_from_waiting_work(row: Row) -> None:
    reservations, words, expected = row
    ledger = a_ledger(
        ["n1: 4 cards"],
        [],
        [f"a: {words}"],
        groups=["lab", "vision", "club"],
        reservations=reservations,
    )

    found = ReservedReasons(ledger).find(pending(ledger, "a"))

    told = [
        (
            int(reason.params["from_at"]) // 1000,
            int(reason.params["until_at"]) // 1000,
            reason.params["reservation"],
        )
        for reason in found
    ]
    assert told == ([expected] if expected else [])
    assert all(reason.code is ReasonCode.RESERVED for reason in found)


ALIKE: dict[str, tuple[str, str, str, bool]] = {
    "equal work": (COURSE, "1 cards", "1 cards", True),
    "another limit, the same windows": (COURSE, "1 cards, limit 900", "1 cards", True),
    "one that is over before": (COURSE, "1 cards, limit 60", "1 cards", False),
    "another member where nobody is named": (COURSE, "1 cards by li", "1 cards by wu", True),
    "another member where some are named": (
        *(f"{COURSE}, by wu", "1 cards by li", "1 cards by wu"),
        False,
    ),
}


@pytest.mark.parametrize("row", ALIKE.values(), ids=ALIKE)
def test_work_that_shares_an_answer(row: tuple[str, str, str, bool]) -> None:
    reservation, one, other, expected = row
    ledger = a_ledger(
        ["n1: 4 cards"],
        [],
        [f"a: {one}", f"b: {other}"],
        groups=["lab", "vision"],
        reservations=[reservation],
    )
    reasons = ReservedReasons(ledger)

    is_alike = reasons.key(pending(ledger, "a")) == reasons.key(pending(ledger, "b"))

    assert is_alike is expected


def test_without_reservations_nothing_has_to_be_compared() -> None:
    ledger = a_ledger(waiting=["a: 1 cards"])

    assert ReservedReasons(ledger).key(pending(ledger, "a")) == ()
