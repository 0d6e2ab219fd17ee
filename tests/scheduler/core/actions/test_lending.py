"""From which pools work may borrow, how much, and which borrowers must leave: one row per rule."""

import pytest

from scheduler.core.actions.lending import (
    count_lendable_gpus,
    find_lenders,
    gpus_to_keep,
    most_to_keep,
    place_with_lender,
)
from scheduler.core.actions.return_loans import find_borrowers, find_overdue_borrowers
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PoolId
from scheduler.core.model.policy import LendingPolicy, PoolPolicy, WeekWindow
from scheduler.core.model.site_clock import SiteClock
from tests.scheduler.core.tables import TRAINING, a_ledger, pending

NOTEBOOKS = PoolId("notebooks")
LENDS = "notebooks: 2 slices of 16384 MiB, lends to training"
NIGHT = "from Mon-20:00 to Tue-08:00"
MONDAY_NOON_S, MONDAY_EVENING_S = (4 * 24 + 12) * 3600, (4 * 24 + 21) * 3600
"""The epoch began on a Thursday; the clock of these sites is UTC."""

LENDERS: dict[str, tuple[list[str], str, list[str]]] = {
    "a pool that lends to its own": (["training", LENDS], "preemptible", ["notebooks by calendar"]),
    "a pool that its own falls back to": (
        ["training: falls back to notebooks", "notebooks"],
        "preemptible",
        ["notebooks"],
    ),
    "fall-back pools before lenders, each once": (
        ["training: falls back to old", LENDS, "old: lends to training"],
        "preemptible",
        ["old", "notebooks by calendar"],
    ),
    "none for work that may not be evicted": (["training", LENDS], "", []),
    "none for notebooks": (["training", LENDS], "environment, preemptible", []),
    "not a pool that lends to others": (
        ["training", "notebooks: lends to elsewhere", "elsewhere"],
        "preemptible",
        [],
    ),
}


@pytest.mark.parametrize("row", LENDERS.values(), ids=LENDERS)
def test_lenders(row: tuple[list[str], str, list[str]]) -> None:
    pools, words, expected = row
    ledger = a_ledger(waiting=[f"w: 1 cards, {words}"], pools=pools)

    found = [
        f"{lender.pool} by calendar" if lender.by_calendar else str(lender.pool)
        for lender in find_lenders(pending(ledger, "w"), ledger)
    ]

    assert found == expected


LENDABLE: dict[str, tuple[str, int, list[str], int]] = {
    "without windows, everything untouched": ("", MONDAY_NOON_S, [], 4),
    "a card of which a slice is held is not untouched": (
        *("", MONDAY_NOON_S),
        *(["s: 1 slices on d1 card 0 in notebooks"], 3),
    ),
    "inside a window, everything untouched": (f"{NIGHT}, keeps 3", MONDAY_EVENING_S, [], 4),
    "outside a window, all but the cards it keeps": (f"{NIGHT}, keeps 3", MONDAY_NOON_S, [], 1),
    "outside a window, nothing if not by day": (f"{NIGHT}, not by day", MONDAY_NOON_S, [], 0),
    "shortly before a window ends as after it": (
        *(f"{NIGHT}, keeps 3, protects 600", MONDAY_EVENING_S + 11 * 3600 - 300),
        *([], 1),
    ),
    "where the notice would come before the protected time is over, too": (
        *(f"{NIGHT}, keeps 3, protects 600, grace 60", MONDAY_EVENING_S + 11 * 3600 - 659),
        *([], 1),
    ),
    "where the notice comes when it is just over, as in the window": (
        *(f"{NIGHT}, keeps 3, protects 600, grace 60", MONDAY_EVENING_S + 11 * 3600 - 660),
        *([], 4),
    ),
}


@pytest.mark.parametrize("row", LENDABLE.values(), ids=LENDABLE)
def test_how_much_a_pool_lends(row: tuple[str, int, list[str], int]) -> None:
    policy, now, running, expected = row

    ledger = _site(policy, now, running)

    assert count_lendable_gpus(NOTEBOOKS, ledger.unreserved[NOTEBOOKS], ledger) == expected


def test_what_a_pool_keeps_follows_its_calendar() -> None:
    policy = _site(f"{NIGHT}, keeps 3", 0).pools[NOTEBOOKS].policy

    assert gpus_to_keep(policy, Millis(MONDAY_NOON_S * 1000), SiteClock()) == 3
    assert gpus_to_keep(policy, Millis(MONDAY_EVENING_S * 1000), SiteClock()) == 0


def test_a_gap_between_two_windows_counts_before_it_begins() -> None:
    minute = MONDAY_EVENING_S // 60 - 4 * 24 * 60
    windows = (WeekWindow(minute, minute + 10), WeekWindow(minute + 12, minute + 60))
    policy = PoolPolicy(lending=LendingPolicy(windows=windows, by_day=False))
    now = Millis(MONDAY_EVENING_S * 1000)

    kept = [
        most_to_keep(policy, now, Millis(now + minutes * 60_000), SiteClock())
        for minutes in (10, 11, 30)
    ]

    assert kept == [0, None, None]


def test_a_borrowed_card_is_a_whole_one_with_all_its_slots() -> None:
    ledger = _site("", 0, waiting="w: 1 cards, preemptible")
    (lender,) = find_lenders(pending(ledger, "w"), ledger)

    (placement,) = place_with_lender(pending(ledger, "w"), lender, ledger) or ()

    assert [slot for _, slot in placement.devices] == [0, 1]


@pytest.mark.parametrize(
    "waiting",
    ["w: 1 slices, preemptible", "w: 5 cards, preemptible"],
    ids=["slices are not lent", "no more than is lendable"],
)
def test_what_is_not_lent(waiting: str) -> None:
    ledger = _site("", 0, waiting=waiting)
    (lender,) = find_lenders(pending(ledger, "w"), ledger)

    assert place_with_lender(pending(ledger, "w"), lender, ledger) is None


def test_a_pool_with_blocked_work_of_its_own_lends_nothing() -> None:
    ledger = _site("", 0, waiting="w: 1 cards, preemptible")
    (lender,) = find_lenders(pending(ledger, "w"), ledger)

    ledger.starts.first_blocked[NOTEBOOKS] = pending(ledger, "w")

    assert place_with_lender(pending(ledger, "w"), lender, ledger) is None


def test_own_work_of_the_lender_may_evict_borrowers_however_short_they_ran() -> None:
    borrowers = ["b: 1 cards on d1, preemptible, began 1 s ago", "own: 1 slices on d1 in notebooks"]
    ledger = _site("", 0, borrowers, waiting="w: 2 slices in notebooks")

    found = find_borrowers(pending(ledger, "w"), tuple(ledger.running.values()), ledger)

    assert [candidate.work.id for candidate in found] == ["b"]


OVERDUE: dict[str, tuple[str, int, list[str]]] = {
    "inside a window none": (f"{NIGHT}, keeps 2", MONDAY_EVENING_S, []),
    "a notice before it ends, as many as the kept cards need": (
        *(f"{NIGHT}, keeps 2, grace 60", MONDAY_EVENING_S + 11 * 3600 - 60),
        ["new"],
    ),
    "none yet where own work took a kept card and they have just begun": (
        *(f"{NIGHT}, keeps 2, protects 901", MONDAY_NOON_S),
        [],
    ),
    "where they have had their protected time, as many as the kept cards need": (
        *(f"{NIGHT}, keeps 2, protects 900", MONDAY_NOON_S),
        ["old"],
    ),
    "all where nothing is lent by day": (f"{NIGHT}, not by day", MONDAY_NOON_S, ["new", "old"]),
    "none without a calendar": ("keeps 2", MONDAY_NOON_S, []),
}


@pytest.mark.parametrize("row", OVERDUE.values(), ids=OVERDUE)
def test_borrowers_that_must_leave(row: tuple[str, int, list[str]]) -> None:
    """Of four cards one is free, one borrowed by `new`, two by `old`, which has more to lose."""
    policy, now, expected = row
    ledger = _site(
        policy,
        now,
        ["old: 2 cards on d1, preemptible, began 900 s ago", "new: 1 cards on d1, preemptible"],
    )

    found = find_overdue_borrowers(tuple(ledger.running.values()), NOTEBOOKS, ledger)

    assert [candidate.work.id for candidate in found] == expected


def _site(policy: str, now: int, running: list[str] | None = None, waiting: str = "") -> Ledger:
    ledger = a_ledger(
        ["d1: 4 cards in notebooks"],
        running or (),
        [waiting] if waiting else (),
        pools=["training", f"{LENDS}, {policy}"],
        now=now,
        sharing="utc 0",
    )
    assert set(ledger.pools) == {TRAINING, NOTEBOOKS}
    return ledger
