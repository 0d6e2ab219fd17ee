"""Which borrowers leave a lender: one row for each rule of its calendar."""

import pytest

from scheduler.core.actions.return_loans import find_borrowers, find_overdue_borrowers
from scheduler.core.model.entities import PoolId
from scheduler.core.model.plan import EvictionCause
from tests.scheduler.core.tables import a_ledger, pending

LENDER = PoolId("night")
MONDAY_NOON = 4 * 86_400 + 12 * 3600
"""The epoch began on a Thursday."""
Row = tuple[str, list[str], str]
"""The terms of the lender, running work; who leaves."""

OPEN = "from Mon-00:00 to Tue-00:00"
CLOSED = "from Tue-00:00 to Wed-00:00"
CLOSING = "from Mon-00:00 to Mon-12:01"
"""The window ends when a notice given now has run out."""

OVERDUE: dict[str, Row] = {
    "nobody while the window is open": (f"{OPEN}, not by day", ["a: 4 cards on l1"], ""),
    "all once it is closed": (f"{CLOSED}, not by day", ["a: 4 cards on l1"], "a"),
    "so early that the notice runs out with the window": (
        f"{CLOSING}, not by day",
        ["a: 4 cards on l1"],
        "a",
    ),
    "a minute earlier nobody": (
        "from Mon-00:00 to Mon-12:02, not by day",
        ["a: 4 cards on l1"],
        "",
    ),
    "nobody without a calendar": ("keeps 4", ["a: 4 cards on l1"], ""),
    "by day nobody while enough is untouched": (f"{CLOSED}, keeps 4", ["a: 4 cards on l1"], ""),
    "by day as many as are missing": (
        f"{CLOSED}, keeps 5",
        ["a: 2 cards on l1, began 900 s ago", "b: 2 cards on l1, began 700 s ago"],
        "b",
    ),
    "not more than needed: one large spares the small": (
        f"{CLOSED}, keeps 7",
        ["a: 1 cards on l1, began 700 s ago", "b: 3 cards on l1, began 700 s ago"],
        "b",
    ),
    "one that is spared leaves no room to spare another": (
        f"{CLOSED}, keeps 7",
        [
            "a: 1 cards on l1, began 700 s ago",
            "b: 1 cards on l1, began 701 s ago",
            "c: 4 cards on l1, began 900 s ago",
        ],
        "a c",
    ),
    "the short ones only while that is enough": (
        f"{CLOSED}, keeps 5",
        ["a: 1 cards on l1, began 700 s ago", "b: 3 cards on l1, began 700 s ago"],
        "a",
    ),
    "own work of the lender stays": (
        f"{CLOSED}, not by day",
        ["own: 2 cards on l1 in night", "a: 2 cards on l1"],
        "a",
    ),
    "while own work holds kept cards, borrowers have their protection": (
        f"{CLOSED}, keeps 5",
        ["own: 2 cards on l1 in night", "a: 2 cards on l1, began 599 s ago"],
        "",
    ),
    "and leave after it": (
        f"{CLOSED}, keeps 5",
        ["own: 2 cards on l1 in night", "a: 2 cards on l1, began 600 s ago"],
        "a",
    ),
    "at the end of the window they have none": (
        f"{CLOSING}, keeps 5",
        ["own: 2 cards on l1 in night", "a: 2 cards on l1, began 1 s ago"],
        "a",
    ),
}


@pytest.mark.parametrize("row", OVERDUE.values(), ids=OVERDUE)
def test_who_leaves_by_the_calendar(row: Row) -> None:
    terms, running, expected = row
    ledger = a_ledger(
        ["n1: 1 cards", "l1: 8 cards in night"],
        [f"{words}, preemptible" for words in running],
        pools=["training", f"night: lends to training, grace 60, {terms}"],
        sharing="utc 0",
        now=MONDAY_NOON,
    )

    leaving = find_overdue_borrowers(tuple(ledger.running.values()), LENDER, ledger)

    assert " ".join(sorted(candidate.work.id for candidate in leaving)) == expected
    assert all(candidate.cause is EvictionCause.CALLED_BACK for candidate in leaving)


def test_who_may_fall_back_to_the_pool_does_not_leave_by_its_calendar() -> None:
    ledger = a_ledger(
        ["n1: 1 cards", "l1: 8 cards in night"],
        ["a: 2 cards on l1, preemptible"],
        pools=["training: falls back to night", f"night: lends to other, {CLOSED}, not by day"],
        sharing="utc 0",
        now=MONDAY_NOON,
    )

    assert find_overdue_borrowers(tuple(ledger.running.values()), LENDER, ledger) == ()


BORROWERS: dict[str, tuple[list[str], str]] = {
    "work of other pools": (["a: 1 cards on l1, preemptible"], "a"),
    "however short it ran": (["a: 1 cards on l1, preemptible, began 1 s ago"], "a"),
    "not work of the pool itself": (["a: 1 cards on l1 in night, preemptible"], ""),
    "not what may not be evicted": (["a: 1 cards on l1"], ""),
    "not what leaves already": (["a: 1 cards on l1, preemptible, stopping"], ""),
}


@pytest.mark.parametrize("row", BORROWERS.values(), ids=BORROWERS)
def test_who_leaves_for_work_of_the_lender(row: tuple[list[str], str]) -> None:
    running, expected = row
    ledger = a_ledger(
        ["n1: 1 cards", "l1: 8 cards in night"],
        running,
        ["own: 8 cards in night"],
        pools=["training", "night: lends to training"],
    )

    leaving = find_borrowers(pending(ledger, "own"), tuple(ledger.running.values()), ledger)

    assert " ".join(candidate.work.id for candidate in leaving) == expected
