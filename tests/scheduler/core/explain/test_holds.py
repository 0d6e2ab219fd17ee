"""The place of waiting work in its queue, and what it waits for that no cycle has to decide."""

import pytest

from scheduler.core.explain.holds import explain_impossible, explain_waiting
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import (
    DeferredEviction,
    EvictionCause,
    EvictionPlans,
    PlannedEviction,
)
from tests.scheduler.core.tables import a_ledger, pending

PLACES: dict[str, tuple[list[str], str]] = {
    "one by one": (["a: 1 cards", "b: 1 cards"], "a1 b2"),
    "each pool has a queue of its own": (
        ["a: 1 cards", "b: 1 cards in other", "c: 1 cards"],
        "a1 b1 c2",
    ),
    "work on hold comes behind all that is not": (
        ["a: 1 cards, held held_by_user", "b: 1 cards", "c: 1 cards"],
        "a3 b1 c2",
    ),
    "work on hold of one pool behind that pool's": (
        ["a: 1 cards, held held_by_user", "b: 1 cards in other", "c: 1 cards"],
        "a2 b1 c1",
    ),
    "what is held for the portal's sake keeps its place": (
        ["a: 1 cards, held portal_recovering", "b: 1 cards"],
        "a1 b2",
    ),
    "what may not begin yet comes behind": (
        ["a: 1 cards, begins after 600 s", "b: 1 cards"],
        "a2 b1",
    ),
    "both behind keep their order": (
        ["a: 1 cards, held held_by_user", "b: 1 cards, begins after 600 s", "c: 1 cards"],
        "a2 b3 c1",
    ),
}


@pytest.mark.parametrize("row", PLACES.values(), ids=PLACES)
def test_places_in_the_queue(row: tuple[list[str], str]) -> None:
    waiting, expected = row
    ledger = a_ledger(
        ["n1: 8 cards", "o1: 8 cards in other"], [], waiting, pools=["training", "other"]
    )

    holds = explain_waiting(tuple(ledger.pending.values()), ledger, EvictionPlans())

    assert " ".join(f"{hold.workload}{hold.position}" for hold in holds) == expected


IMPOSSIBLE: dict[str, tuple[list[str], str, list[str]]] = {
    "what fits": (["n1: 8 cards"], "8 cards", []),
    "what fits once others have left": (["n1: 8 cards, cordoned"], "8 cards", []),
    "more than any node has": (["n1: 8 cards"], "9 cards", ["never_fits gpus 9 8"]),
    "more CPU than any node has": (
        ["n1: 8 cards, 16 cpu"],
        *("17 cpu", ["never_fits cpu 17000 16000"]),
    ),
    "more ranks than all nodes take": (
        ["n1: 8 cards", "n2: 8 cards"],
        *("8 cards, 3 ranks", ["never_fits replicas 3 2"]),
    ),
    "a model that is not there": (
        ["n1: 8 cards"],
        *("1 cards, model B", ["no_matching_model B 0"]),
    ),
    "a model of which there are too few": (
        ["n1: 8 cards", "n2: 2 cards of B"],
        *("4 cards, model B", ["never_fits gpus 4 2"]),
    ),
    "a node that is lost may come back": (["n1: 8 cards, lost"], "8 cards", []),
    "a node that is retired does not": (
        ["n1: 8 cards, retired", "n2: 4 cards"],
        *("8 cards", ["never_fits gpus 8 4"]),
    ),
    "nothing is impossible before a node has joined": ([], "9 cards, model B", []),
    "work without cards chooses none": (["n1: 8 cards"], "1 cpu, model B", []),
}


@pytest.mark.parametrize("row", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_could_never_start(row: tuple[list[str], str, list[str]]) -> None:
    nodes, waiting, expected = row
    ledger = a_ledger(nodes, [], [f"a: {waiting}"])

    found = [
        " ".join(
            [each.code.value, *(str(value) for key, value in each.params.items() if key != "pool")]
        )
        for each in explain_impossible(pending(ledger, "a"), ledger)
    ]

    assert found == expected


def test_work_waits_for_all_allocations_that_leave_for_it() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards"],
        [
            "gang: 4 cards, 2 ranks, on n1+n2, stopping for a",
            "own: 1 cards on n1, preemptible",
            "other: 1 cards on n1, stopping",
            "lent: 1 cards on n1, preemptible",
        ],
        ["a: 8 cards", "b: 8 cards"],
    )
    plans = EvictionPlans(
        evictions=(
            PlannedEviction(WorkloadId("own"), 0, EvictionCause.PREEMPTED, WorkloadId("a"), 60),
            PlannedEviction(WorkloadId("lent"), 0, EvictionCause.RESERVED, None, 60),
        )
    )

    first, second = explain_waiting(tuple(ledger.pending.values()), ledger, plans)

    assert [(each.code.value, each.params) for each in first.reasons] == [
        ("waiting_for_eviction", {"allocations": 3})
    ]
    assert [each.code.value for each in second.reasons] == ["insufficient_now"]


def test_work_that_a_later_eviction_is_for_waits_for_the_end_of_the_protection() -> None:
    ledger = a_ledger(running=["x: 8 cards on n1"], waiting=["a: 8 cards"])
    plans = EvictionPlans(
        deferred=(
            DeferredEviction(
                WorkloadId("a"), (WorkloadId("x"), WorkloadId("y")), Millis(5000), 60, 600
            ),
        )
    )

    (hold,) = explain_waiting(tuple(ledger.pending.values()), ledger, plans)

    assert [(each.code.value, each.params) for each in hold.reasons] == [
        ("protected_run_time", {"workloads": 2, "protected_s": 600, "ends_at": 5000})
    ]
