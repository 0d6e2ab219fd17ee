"""Inside one group: what higher priority and the next time slice may evict; one row per rule."""

import pytest

from scheduler.core.actions.preempt import TimeSlices, find_lower_priority
from tests.scheduler.core.tables import a_ledger, pending

LOWER: dict[str, tuple[str, str, bool]] = {
    "a lower priority of the same group": ("training", "priority 1", True),
    "not an equal one": ("training", "priority 5", False),
    "not one of another group": ("training", "priority 1, of other", False),
    "not young work": ("training: protects 1000", "priority 1", False),
    "not in a pool without preemption": ("training: no preemption", "priority 1", False),
}


@pytest.mark.parametrize("row", LOWER.values(), ids=LOWER)
def test_lower_priority(row: tuple[str, str, bool]) -> None:
    pool, words, expected = row
    ledger = a_ledger(
        running=[f"a: 8 cards on n1, preemptible, began 900 s ago, {words}"],
        waiting=["w: 8 cards, priority 5"],
        pools=[pool],
        groups=["lab", "other"],
        now=1000,
    )

    found = find_lower_priority(pending(ledger, "w"), tuple(ledger.running.values()), ledger)

    assert [candidate.work.id for candidate in found] == (["a"] if expected else [])


SLICES: dict[str, tuple[str, list[str], list[str]]] = {
    "work that was served more, the most served first": (
        "training: least served first, turns of 300",
        ["a: 1 cards on n1, began 400 s ago", "b: 1 cards on n1, began 900 s ago"],
        ["b", "a"],
    ),
    "not within its time slice": (
        "training: least served first, turns of 300",
        ["a: 1 cards on n1, began 299 s ago"],
        [],
    ),
    "not work that ranks before": (
        "training: least served first, turns of 300",
        ["a: 1 cards on n1, priority 9, began 900 s ago"],
        [],
    ),
    "not in a pool without time slicing": (
        "training: least served first",
        ["a: 1 cards on n1, began 900 s ago"],
        [],
    ),
}


@pytest.mark.parametrize("row", SLICES.values(), ids=SLICES)
def test_time_slices(row: tuple[str, list[str], list[str]]) -> None:
    pool, running, expected = row
    ledger = a_ledger(
        running=[f"{work}, preemptible" for work in running],
        waiting=["w: 8 cards"],
        pools=[pool],
        now=1000,
    )
    holders = tuple(ledger.running.values())

    found = TimeSlices().find_expired(pending(ledger, "w"), holders, ledger)

    assert [candidate.work.id for candidate in found] == expected
