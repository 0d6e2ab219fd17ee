"""What goes before the fair order: work inside what its group deserves, and work that others leave for."""

import pytest

from scheduler.core.ordering.precedence import put_beneficiaries_first, split_off_deserved
from tests.scheduler.core.tables import a_ledger

Deserved = tuple[str, list[str], list[str], list[str], str]
"""Pool, quotas, running and waiting work; what goes first."""

DESERVED: dict[str, Deserved] = {
    "nobody is promised anything": ("training", [], [], ["a: 1 cards"], ""),
    "as far as the group deserves": (
        *("training", ["lab: deserved 4 cards in training"], []),
        ["a: 2 cards", "b: 2 cards", "c: 1 cards"],
        "a b",
    ),
    "what the group holds counts": (
        *("training", ["lab: deserved 4 cards in training"], ["x: 3 cards on n1"]),
        ["a: 1 cards", "b: 1 cards"],
        "a",
    ),
    "nothing for a group that holds more than it deserves": (
        *("training", ["lab: deserved 2 cards in training"], ["x: 3 cards on n1"]),
        ["a: 1 cards"],
        "",
    ),
    "every rank counts": (
        *("training", ["lab: deserved 4 cards in training"], []),
        ["a: 2 cards, 2 ranks", "b: 1 cards"],
        "a",
    ),
    "nothing behind the first work of the group that exceeds it": (
        *("training", ["lab: deserved 4 cards in training"], []),
        ["a: 5 cards", "b: 1 cards"],
        "",
    ),
    "the work of another group behind that": (
        "training",
        ["lab: deserved 4 cards in training", "vision: deserved 1 cards in training"],
        [],
        ["a: 5 cards", "b: 1 cards of vision"],
        "b",
    ),
    "work of the same group in another pool behind that": (
        "training",
        ["lab: deserved 1 cards in training", "lab: deserved 1 cards in other"],
        [],
        ["a: 2 cards", "b: 1 cards in other"],
        "b",
    ),
    "held work does not go first, and does not stop what is behind": (
        *("training", ["lab: deserved 2 cards in training"], []),
        ["a: 2 cards, held waiting_to_retry", "b: 2 cards"],
        "b",
    ),
    "not in a pool without reclaim": (
        *("training: no reclaim", ["lab: deserved 4 cards in training"], []),
        ["a: 1 cards"],
        "",
    ),
    "a guarantee is deserved": (
        *("training", ["lab: guarantee 2 cards in training"], []),
        ["a: 2 cards", "b: 1 cards"],
        "a",
    ),
    "what is promised over all pools counts in any": (
        *("training", ["lab: deserved 3 cards"], []),
        ["a: 1 cards", "b: 2 cards in other", "c: 1 cards"],
        "a b",
    ),
    "what a pool promises is used before what all pools promise": (
        "training",
        ["lab: deserved 2 cards in training", "lab: deserved 3 cards"],
        [],
        ["a: 2 cards", "b: 1 cards in other", "c: 1 cards in other"],
        "a b",
    ),
    "work without cards goes first while a thousandth is left": (
        *("training", ["lab: deserved 1 cards in training"], []),
        ["a: 1 cpu", "b: 1 cards"],
        "a",
    ),
}


@pytest.mark.parametrize("row", DESERVED.values(), ids=DESERVED)
def test_deserved_work_goes_first(row: Deserved) -> None:
    pool, quotas, running, waiting, expected = row
    ledger = a_ledger(
        ["n1: 8 cards", "o1: 8 cards in other"],
        running,
        waiting,
        pools=[pool, "other"],
        groups=["lab", "vision"],
        quotas=quotas,
    )
    queue = tuple(ledger.pending.values())

    first, rest = split_off_deserved(queue, ledger.quotas, ledger.pools)

    assert " ".join(work.id for work in first) == expected
    assert [work for work in queue if work not in first] == list(rest)


Beneficiaries = tuple[list[str], list[str], str]
"""Running and waiting work; the queue."""

BENEFICIARIES: dict[str, Beneficiaries] = {
    "nothing stops": (["x: 1 cards on n1"], ["b: 1 cards", "a: 1 cards"], "b a"),
    "work for which other work stops": (
        ["x: 1 cards on n1, stopping for b"],
        ["a: 1 cards", "b: 1 cards", "c: 1 cards"],
        "b a c",
    ),
    "all of it in the order of the queue": (
        ["x: 1 cards on n1, stopping for c", "y: 1 cards on n1, stopping for b"],
        ["a: 1 cards", "b: 1 cards", "c: 1 cards"],
        "b c a",
    ),
    "work for which waiting work was evicted": (
        [],
        ["a: 1 cards", "victim: yields to b", "b: 1 cards"],
        "b a victim",
    ),
    "work that stops for nobody puts nothing first": (
        ["x: 1 cards on n1, stopping"],
        ["a: 1 cards", "b: 1 cards"],
        "a b",
    ),
    "while borrowers leave a pool its own work goes by age": (
        ["x: 1 cards on d1, stopping"],
        ["a: 1 cards", "new: in development, since 9", "old: in development, since 8"],
        "old new a",
    ),
    "work of equal age by its id": (
        ["x: 1 cards on d1, stopping"],
        ["b: in development, since 3", "a: in development, since 3"],
        "a b",
    ),
    "own work of the lender goes before other beneficiaries": (
        ["x: 1 cards on d1, stopping", "y: 1 cards on n1, stopping for a"],
        ["b: 1 cards", "a: 1 cards", "own: in development"],
        "own a b",
    ),
    "a borrower that leaves for work of another pool returns nothing": (
        ["x: 1 cards on d1, stopping for a"],
        ["b: in development", "c: in development, since 0", "a: 1 cards"],
        "a b c",
    ),
    "a borrower that leaves for work of the lender returns its cards": (
        ["x: 1 cards on d1, stopping for own"],
        ["a: 1 cards", "new: in development, since 9", "own: in development, since 8"],
        "own new a",
    ),
    "a borrower whose beneficiary is gone returns its cards": (
        ["x: 1 cards on d1, stopping for gone"],
        ["a: 1 cards", "own: in development"],
        "own a",
    ),
    "own work that stops in its own pool lends nothing": (
        ["x: 1 cards on d1 in development, stopping"],
        ["b: in development, since 9", "c: in development, since 8"],
        "b c",
    ),
}


@pytest.mark.parametrize("row", BENEFICIARIES.values(), ids=BENEFICIARIES)
def test_beneficiaries_go_first(row: Beneficiaries) -> None:
    running, waiting, expected = row
    ledger = a_ledger(
        ["n1: 8 cards", "d1: 8 cards in development"],
        running,
        waiting,
        pools=["training", "development"],
    )

    queue = put_beneficiaries_first(
        tuple(ledger.pending.values()), ledger.stopping.values(), ledger.pool_of
    )

    assert " ".join(work.id for work in queue) == expected
