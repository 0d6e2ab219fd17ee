"""Work that starts on the cards of another pool: one row for each rule of who, where and when."""

import pytest

from scheduler.core.actions.allocate import allocate_waiting
from scheduler.core.actions.borrow import borrow_capacity, split_off_victims
from scheduler.core.ordering.work_classes import ClassedQueue
from tests.scheduler.core.tables import a_ledger, pending

POOLS = ["training: falls back to spare", "spare", "night: lends to training", "alone"]
NODES = [
    *("n1: 2 cards", "s1: 2 cards in spare"),
    *("l1: 2 cards in night", "a1: 8 cards in alone"),
]
FULL = "own: 2 cards on n1, priority 9"
"""Its own pool is full."""

Row = tuple[list[str], list[str], list[str], str]
"""Running and waiting work, quotas; what starts, as `<work> on <node>`."""

BORROW: dict[str, Row] = {
    "first in the pool to fall back to": ([FULL], ["a: 1 cards, preemptible"], [], "a on s1"),
    "then in the pool that lends": (
        [FULL, "x: 2 cards on s1 in spare"],
        ["a: 1 cards, preemptible"],
        *([], "a on l1"),
    ),
    "never in a pool that does neither": (
        [FULL, "x: 2 cards on s1 in spare", "y: 2 cards on l1 in night"],
        ["a: 1 cards, preemptible"],
        *([], ""),
    ),
    "not what may not be evicted": ([FULL], ["a: 1 cards"], [], ""),
    "not an environment": ([FULL], ["a: 1 cards, preemptible, environment"], [], ""),
    "not what is held": ([FULL], ["a: 1 cards, preemptible, held waiting_to_retry"], [], ""),
    "not what its quota refuses": (
        [FULL],
        ["a: 1 cards, preemptible"],
        ["lab: 2 cards"],
        "",
    ),
    "in the order of the queue": (
        [FULL],
        ["a: 2 cards, preemptible", "b: 2 cards, preemptible", "c: 1 cards, preemptible"],
        *([], "a on s1, b on l1"),
    ),
    "smaller work behind what does not fit": (
        [FULL],
        ["a: 3 cards, preemptible", "b: 1 cards, preemptible"],
        *([], "b on s1"),
    ),
    "a gang as a whole": (
        [FULL],
        ["a: 1 cards, 2 ranks, preemptible"],
        *([], "a on s1 s1"),
    ),
    "a gang not across two pools": ([FULL], ["a: 1 cards, 3 ranks, preemptible"], [], ""),
    "work without cards not in a pool that lends cards": (
        [FULL, "x: 96 cpu on s1 in spare", "y: 96 cpu on n1"],
        ["a: 1 cpu, preemptible"],
        *([], ""),
    ),
    "work of other pools stays there": (
        ["x: 8 cards on a1 in alone"],
        ["a: 1 cards in alone, preemptible"],
        *([], ""),
    ),
}


@pytest.mark.parametrize("row", BORROW.values(), ids=BORROW)
def test_what_borrows(row: Row) -> None:
    running, waiting, quotas, expected = row
    ledger = a_ledger(NODES, running, waiting, pools=POOLS, quotas=quotas)

    starts = list(borrow_capacity(tuple(ledger.pending.values()), ledger))

    found = [
        f"{start.workload} on {' '.join(each.node for each in start.placements)}"
        for start in starts
    ]
    assert ", ".join(found) == expected
    assert all(start.workload in ledger.running for start in starts)


def test_nothing_borrows_where_no_pool_lends_or_falls_back() -> None:
    ledger = a_ledger(
        ["n1: 2 cards", "s1: 2 cards in spare"],
        ["x: 2 cards on n1"],
        ["a: 1 cards, preemptible"],
        pools=["training", "spare"],
    )

    assert list(borrow_capacity(tuple(ledger.pending.values()), ledger)) == []


@pytest.mark.parametrize("pool", ["training: falls back to spare, closed", "spare: closed"])
def test_a_closed_pool_neither_borrows_nor_lends(pool: str) -> None:
    name = pool.partition(":")[0]
    pools = [pool, *(each for each in POOLS[:2] if each.partition(":")[0] != name)]
    ledger = a_ledger(NODES[:2], [FULL], ["a: 1 cards, preemptible"], pools=pools)

    assert list(borrow_capacity((pending(ledger, "a"),), ledger)) == []


Parts = tuple[list[str], str]

PARTS: dict[str, Parts] = {
    "nothing was evicted": (["a: 1 cards, preemptible", "b: 1 cards"], "a b"),
    "what was evicted for work that may borrow comes last": (
        ["v: 1 cards, yields to a", "a: 1 cards, preemptible", "b: 1 cards"],
        "a b | v",
    ),
    "its beneficiary may not borrow": (
        ["v: 1 cards, yields to a", "a: 1 cards", "b: 1 cards"],
        "v a b",
    ),
    "its beneficiary no longer waits": (
        ["v: 1 cards, yields to gone", "b: 1 cards, preemptible"],
        "v b",
    ),
    "both parts keep their order": (
        [
            *("v: 1 cards, yields to a", "c: 1 cards", "w: 1 cards, yields to a"),
            "a: 1 cards, preemptible",
        ],
        "c a | v w",
    ),
}


@pytest.mark.parametrize("row", PARTS.values(), ids=PARTS)
def test_victims_are_allocated_behind_the_work_that_may_yet_borrow(row: Parts) -> None:
    waiting, expected = row
    ledger = a_ledger(NODES, [], waiting, pools=POOLS)

    parts = split_off_victims(ClassedQueue(tuple(ledger.pending.values())), ledger)

    assert " | ".join(" ".join(work.id for work in part.works) for part in parts) == expected


def test_what_leaves_a_pool_lets_others_borrow_there() -> None:
    ledger = a_ledger(
        ["n1: 1 cards", "s1: 2 cards in spare", "l1: 2 cards in night"],
        ["own: 1 cards on n1, priority 9", "x: 1 cards on s1 in spare"],
        ["small: 1 cards, preemptible", "large: 2 cards in spare, preemptible"],
        pools=["training: falls back to spare", "spare: falls back to night", "night"],
    )
    queue = tuple(ledger.pending.values())
    assert list(allocate_waiting(ClassedQueue(queue), ledger)) == []
    assert {each.workload.id for each in ledger.starts} == {"large", "small"}

    starts = list(borrow_capacity(queue, ledger))

    assert [(start.workload, start.placements[0].node) for start in starts] == [
        ("large", "l1"),
        ("small", "s1"),
    ]
    assert not ledger.starts


def test_work_that_waited_behind_what_leaves_starts_at_home() -> None:
    ledger = a_ledger(
        ["n1: 4 cards", "s1: 4 cards in spare"],
        ["own: 1 cards on n1, ends in 100 s, priority 9"],
        ["large: 4 cards, preemptible", "small: 3 cards, limit 3600"],
        pools=["training: falls back to spare", "spare"],
    )
    queue = tuple(ledger.pending.values())
    assert list(allocate_waiting(ClassedQueue(queue), ledger)) == []

    starts = list(borrow_capacity(queue, ledger))

    assert [(start.workload, start.placements[0].node) for start in starts] == [
        ("large", "s1"),
        ("small", "n1"),
    ]
