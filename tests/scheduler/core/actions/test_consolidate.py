"""Work that moves so that other work fits: one row for each rule."""

import pytest

from scheduler.core.actions.consolidate import find_consolidation
from scheduler.core.model.plan import EvictionCause
from tests.scheduler.core.tables import a_ledger, pending

MOVES = "training: consolidates, protects 600"
Row = tuple[str, list[str], str, str]
"""The pool, running work, the waiting work; what moves."""

TABLE: dict[str, Row] = {
    "not into a gap that is too small": (
        *(MOVES, ["a: 4 cards on n1, began 700 s ago", "b: 5 cards on n2, began 900 s ago"]),
        *("8 cards", ""),
    ),
    "into the gap of another node": (
        *(MOVES, ["a: 4 cards on n1, began 700 s ago", "b: 4 cards on n2, began 900 s ago"]),
        *("8 cards", "a"),
    ),
    "not without the pool's consent": (
        "training: protects 600",
        ["a: 4 cards on n1, began 700 s ago", "b: 4 cards on n2, began 900 s ago"],
        *("8 cards", ""),
    ),
    "not in its protected time": (
        *(MOVES, ["a: 4 cards on n1, began 599 s ago", "b: 4 cards on n2, began 599 s ago"]),
        *("8 cards", ""),
    ),
    "several for one": (
        MOVES,
        [
            *("a: 2 cards on n1, began 700 s ago", "b: 2 cards on n1, began 700 s ago"),
            "c: 4 cards on n2, began 5000 s ago",
        ],
        *("8 cards", "a b"),
    ),
    "no more than a plan may stop": (
        f"{MOVES}, victims 1",
        [
            *("a: 2 cards on n1, began 700 s ago", "b: 2 cards on n1, began 700 s ago"),
            "c: 4 cards on n2, began 5000 s ago",
        ],
        *("8 cards", "c"),
    ),
    "as many as a plan may stop": (
        f"{MOVES}, victims 2",
        [
            *("a: 2 cards on n1, began 700 s ago", "b: 2 cards on n1, began 700 s ago"),
            "c: 4 cards on n2, began 5000 s ago",
        ],
        *("8 cards", "a b"),
    ),
    "not work of another pool": (
        MOVES,
        ["a: 4 cards on n1, began 700 s ago in other", "b: 4 cards on n2, began 900 s ago"],
        *("8 cards", "b"),
    ),
    "not more than gaps hold": (
        MOVES,
        [
            *("a: 4 cards on n1, began 700 s ago", "b: 4 cards on n2, began 700 s ago"),
            "c: 3 cards on n2, began 700 s ago",
        ],
        *("8 cards", ""),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_moves_so_that_the_work_fits(row: Row) -> None:
    pool, running, asked, expected = row
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards", "o1: 1 cards in other"],
        [f"{words}, preemptible" for words in running],
        [f"wanted: {asked}"],
        pools=[pool, "other"],
    )
    before = dict(ledger.running)

    victims = find_consolidation(pending(ledger, "wanted"), tuple(before.values()), ledger)

    assert " ".join(sorted(victim.work.id for victim in victims)) == expected
    assert all(victim.cause is EvictionCause.CONSOLIDATED for victim in victims)
    assert ledger.running == before, "the search leaves no trace"


def test_work_that_may_not_be_evicted_stays() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards"],
        ["a: 4 cards on n1, began 700 s ago", "b: 4 cards on n2, began 700 s ago"],
        ["wanted: 8 cards"],
        pools=[MOVES],
    )

    works = tuple(ledger.running.values())
    assert find_consolidation(pending(ledger, "wanted"), works, ledger) == ()


def test_work_for_which_quotas_leave_no_room_moves_nothing() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards"],
        [
            "a: 4 cards on n1, began 700 s ago, preemptible",
            "b: 4 cards on n2, began 700 s ago, preemptible",
        ],
        ["wanted: 8 cards"],
        pools=[MOVES],
        quotas=["lab: 15 cards in training"],
    )

    works = tuple(ledger.running.values())
    assert find_consolidation(pending(ledger, "wanted"), works, ledger) == ()


def test_the_largest_moves_first_so_that_the_small_do_not_take_its_gap() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards", "n3: 8 cards"],
        [
            "a: 2 cards on n1, began 700 s ago, preemptible",
            "b: 4 cards on n1, began 700 s ago, preemptible",
            "own2: 4 cards on n2",
            "own3: 6 cards on n3",
        ],
        ["wanted: 8 cards"],
        pools=[f"{MOVES}, spread"],  # the small would go to the emptiest node
    )

    works = tuple(ledger.running.values())
    victims = find_consolidation(pending(ledger, "wanted"), works, ledger)

    assert sorted(victim.work.id for victim in victims) == ["a", "b"]
