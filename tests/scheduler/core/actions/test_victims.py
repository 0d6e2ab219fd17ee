"""Which running work may be evicted, and the sets that are enough: one row for each rule."""

from dataclasses import replace

import pytest

from scheduler.core.actions.victims import (
    find_victim_sets,
    fits_now,
    is_eligible,
    is_evictable,
    lost_gpu_milli_s,
    make_candidate,
)
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.states import NodeState
from tests.scheduler.core.tables import a_ledger, pending
from tests.scheduler.scenario import snapshot_of

EVICTABLE: dict[str, tuple[str, bool]] = {
    "preemptible work past its protected time": ("preemptible, began 600 s ago", True),
    "not before it": ("preemptible, began 599 s ago", False),
    "not while it is being started": ("preemptible", False),
    "not what is not preemptible": ("began 600 s ago", False),
    "not what is stopping already": ("preemptible, began 600 s ago, stopping", False),
    "an environment beyond the guarantee": (
        "environment, preemptible, began 600 s ago, of poor",
        True,
    ),
    "not an environment inside the guarantee": (
        "environment, preemptible, began 600 s ago, of rich",
        False,
    ),
}


@pytest.mark.parametrize("row", EVICTABLE.values(), ids=EVICTABLE)
def test_what_may_be_evicted(row: tuple[str, bool]) -> None:
    words, expected = row
    ledger = a_ledger(
        running=[f"a: 1 cards on n1, {words}"],
        groups=["lab", "poor", "rich"],
        quotas=["rich: guarantee 1 cards in training"],
    )

    assert is_evictable(ledger.running[WorkloadId("a")], ledger, 600) is expected


def test_work_on_a_silent_node_is_not_evicted_because_that_would_free_nothing() -> None:
    for state, expected in ((NodeState.READY, True), (NodeState.LOST, False)):
        snapshot = snapshot_of(
            {
                "nodes": ["n1: 8 cards"],
                "running": ["a: 1 cards on n1, preemptible, began 600 s ago"],
            }
        )
        (node,) = snapshot.nodes
        ledger = Ledger(replace(snapshot, nodes=(replace(node, state=state),)))
        assert is_evictable(ledger.running[WorkloadId("a")], ledger, 600) is expected


LOST: dict[str, tuple[str, int]] = {
    "since its start": ("2 cards on n1, began 100 s ago", 2 * 100),
    "since its checkpoint": ("2 cards on n1, began 100 s ago, saved 30 s ago", 2 * 30),
    "nothing of an attempt that has not started": ("2 cards on n1", 0),
    "nothing of a checkpoint from an earlier attempt": (
        "2 cards on n1, began 100 s ago, saved 500 s ago",
        2 * 100,
    ),
}


@pytest.mark.parametrize("row", LOST.values(), ids=LOST)
def test_what_an_eviction_loses(row: tuple[str, int]) -> None:
    words, gpu_s = row
    ledger = a_ledger(running=[f"a: {words}"], now=1000)

    assert lost_gpu_milli_s(ledger.running[WorkloadId("a")], ledger) == gpu_s * 1000


Sets = tuple[list[str], str, str]

SETS: dict[str, Sets] = {
    "the one that loses least": (
        ["old: 8 cards on n1, began 900 s ago", "new: 8 cards on n2, began 700 s ago"],
        "8 cards",
        "new",
    ),
    "on a node, of equal loss the one with the lowest priority": (
        [
            "a: 4 cards on n1, began 900 s ago, priority 2",
            "b: 4 cards on n1, began 900 s ago, priority 1",
        ],
        "4 cards, home n1",
        "b",
    ),
    "none that could stay": (
        ["a: 4 cards on n1, began 900 s ago", "b: 4 cards on n1, began 700 s ago"],
        "4 cards, home n1",
        "b",
    ),
    "all on one node for a request that needs the node": (
        [
            "a: 4 cards on n1, began 700 s ago",
            "b: 4 cards on n2, began 900 s ago",
            "c: 4 cards on n1, began 700 s ago",
        ],
        "8 cards, home n1",
        "a c",
    ),
    "the cheaper of two nodes": (
        [
            "a: 4 cards on n1, began 700 s ago",
            "b: 4 cards on n1, began 700 s ago",
            "c: 4 cards on n2, began 700 s ago",
            "d: 4 cards on n2, began 950 s ago",
        ],
        "8 cards",
        "a b",
    ),
    "as many nodes as a gang needs": (
        ["a: 8 cards on n1, began 700 s ago", "b: 8 cards on n2, began 900 s ago"],
        "8 cards, 2 ranks",
        "a b",
    ),
    "none where it would not fit even then": (
        ["a: 8 cards on n1, began 700 s ago"],
        "8 cards, 3 ranks",
        "",
    ),
}


@pytest.mark.parametrize("row", SETS.values(), ids=SETS)
def test_the_cheapest_set_of_victims(row: Sets) -> None:
    running, asked, expected = row
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards"],
        [f"{work}, preemptible" for work in running],
        [f"wanted: {asked}"],
        now=1000,
    )

    assert _cheapest(ledger) == expected


def test_quotas_need_victims_too() -> None:
    ledger = a_ledger(
        running=["a: 2 cards on n1, preemptible, began 900 s ago"],
        waiting=["wanted: 4 cards"],
        quotas=["lab: 4 cards in training"],
        now=1000,
    )

    assert not is_eligible(pending(ledger, "wanted"), ledger)
    assert _cheapest(ledger) == "a"


def test_the_search_leaves_the_ledger_as_it_was() -> None:
    ledger = a_ledger(
        running=["a: 8 cards on n1, preemptible, began 900 s ago"],
        waiting=["wanted: 8 cards"],
    )

    _cheapest(ledger)

    assert set(ledger.running) == {"a"}
    assert not fits_now(pending(ledger, "wanted"), ledger)


def _cheapest(ledger: Ledger) -> str:
    candidates = [
        make_candidate(work, EvictionCause.PREEMPTED, ledger) for work in ledger.running.values()
    ]
    sets = find_victim_sets(pending(ledger, "wanted"), candidates, ledger)
    return " ".join(sorted(victim.work.id for victim in next(sets, ())))
