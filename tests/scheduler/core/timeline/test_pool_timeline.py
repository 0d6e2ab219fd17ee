"""When a node takes replicas, and when and where a gang fits: one row for each rule."""

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    UNKNOWN_FROM,
    to_millis,
)
from scheduler.core.timeline.pool_timeline import (
    GangStart,
    PoolTimeline,
    end_after,
)
from scheduler.core.timeline.replica_times import replica_times
from tests.scheduler.core.tables import N1, TRAINING, a_ledger, pending

HOUR_MS = 3_600_000

Times = tuple[list[str], str, tuple[int, ...]]

TIMES: dict[str, Times] = {
    "free capacity takes replicas now": ([], "4 cards, 2 ranks", (FREE_NOW, FREE_NOW)),
    "replicas fit one after the other, as work ends": (
        ["a: 4 cards on n1, ends in 60 s", "b: 4 cards on n1, ends in 90 s"],
        "4 cards, 2 ranks",
        (60_000, 90_000),
    ),
    "work that is stopping ends soon": (["a: 8 cards on n1, stopping"], "8 cards", (FREE_SOON,)),
    "work that is being started ends at an unknown time": (
        ["a: 8 cards on n1, limit 3600"],
        "8 cards",
        (UNKNOWN_FROM + HOUR_MS,),
    ),
    "no more replicas than requested": ([], "1 cards", (FREE_NOW,)),
    "what is larger than the node never fits": ([], "9 cards", ()),
    "CPU comes free with the work that holds it": (
        ["a: 1 cards on n1, 90 cpu, ends in 60 s"],
        "1 cards, 8 cpu",
        (60_000,),
    ),
}


@pytest.mark.parametrize("row", TIMES.values(), ids=TIMES)
def test_from_when_a_node_takes_replicas(row: Times) -> None:
    running, asked, times = row
    ledger = a_ledger(running=running, waiting=[f"new: {asked}"])
    releases = ledger.timeline_cache.releases(N1, ledger.running_on.get(N1, ()))

    found = replica_times(pending(ledger, "new").request, ledger.free[TRAINING][N1], releases)

    assert found == times


STARTS: dict[str, tuple[list[str], str, str]] = {
    "on the node that is free first": (
        ["a: 8 cards on n1, ends in 60 s", "b: 8 cards on n2, ends in 90 s"],
        "8 cards",
        "60 s on n1",
    ),
    "a gang starts with the last of its nodes": (
        ["a: 8 cards on n1, ends in 60 s", "b: 8 cards on n2, ends in 90 s"],
        "8 cards, 2 ranks",
        "90 s on n1 n2",
    ),
    "on as few nodes as possible": (
        ["a: 4 cards on n1, ends in 60 s"],
        "4 cards, 2 ranks",
        "0 s on n2 n2",
    ),
    "not on nodes to avoid, if there are others": (
        ["b: 8 cards on n2, ends in 90 s"],
        "8 cards, avoid n1",
        "90 s on n2",
    ),
    "on nodes to avoid, if it must": ([], "8 cards, 2 ranks, avoid n1", "0 s on n1 n2"),
    "only on the node with its files": (
        ["a: 8 cards on n1, ends in 60 s"],
        "8 cards, home n1",
        "60 s on n1",
    ),
    "never, if the nodes are too small": ([], "8 cards, 3 ranks", "never"),
}


@pytest.mark.parametrize("row", STARTS.values(), ids=STARTS)
def test_the_earliest_start(row: tuple[list[str], str, str]) -> None:
    running, asked, expected = row
    ledger = a_ledger(["n1: 8 cards", "n2: 8 cards"], running, [f"new: {asked}"])
    new = pending(ledger, "new")

    assert _words(_timeline(ledger).earliest_start(new.request, new.avoid)) == expected


def test_what_is_expected_to_start_holds_its_place_until_its_end() -> None:
    running = ["a: 8 cards on n1, ends in 60 s"]
    ledger = a_ledger(running=running, waiting=["first: 8 cards, limit 100", "next: 8 cards"])
    timeline = _timeline(ledger)
    first, following = pending(ledger, "first").request, pending(ledger, "next").request
    start = timeline.earliest_start(first)
    assert start is not None

    timeline.occupy(first, start, end_after(start.at, 100, ledger.now))

    assert _words(timeline.earliest_start(following)) == "160 s on n1"


@pytest.mark.parametrize(
    ("work", "at_s", "certain_s"),
    [
        ("a: 8 cards on n1, ends in 60 s", 60, 60),
        ("a: 8 cards on n1, stopping", 0, 0),
        ("a: 8 cards on n1, limit 3600", 3600, 0),
    ],
    ids=["a known end", "stopping", "an unknown end counts its limit, and is not certain"],
)
def test_a_start_and_the_time_before_which_it_certainly_does_not_happen(
    work: str, at_s: int, certain_s: int
) -> None:
    ledger = a_ledger(running=[work], waiting=["new: 8 cards"], now=1000)

    start = _timeline(ledger).earliest_start(pending(ledger, "new").request)

    assert start is not None
    assert start.starts_at(ledger.now) - ledger.now == at_s * 1000
    assert start.certain_at(ledger.now) - ledger.now == certain_s * 1000


def test_work_over_its_limit_ends_now() -> None:
    assert to_millis(5_000, Millis(60_000)) == 60_000


def test_an_unchanged_node_is_not_computed_again() -> None:
    ledger = a_ledger(running=["a: 4 cards on n1, ends in 60 s"], waiting=["new: 8 cards"])
    request, node = pending(ledger, "new").request, ledger.free[TRAINING][N1]
    cache, held = ledger.timeline_cache, ledger.running_on[N1]
    releases = cache.releases(N1, held)

    assert cache.releases(N1, held) is releases
    assert cache.replica_times(request, node, releases) is cache.replica_times(
        request, node, releases
    )
    ledger.release(WorkloadId("a"))
    assert cache.releases(N1, ledger.running_on[N1]) == ()


def _timeline(ledger: Ledger) -> PoolTimeline:
    return PoolTimeline(ledger.free[TRAINING], ledger.running_on, ledger.timeline_cache)


def _words(start: GangStart | None) -> str:
    if start is None:
        return "never"
    nodes = " ".join(sorted(node for node, replicas in start.nodes for _ in range(replicas)))
    return f"{start.starts_at(Millis(0)) // 1000} s on {nodes}"
