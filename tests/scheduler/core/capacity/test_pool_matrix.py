"""The arrays agree with the capacities: counts, places and devices, whatever happened before."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.capacity.filters import count_replicas, find_shortfall
from scheduler.core.capacity.gang import place_gang
from scheduler.core.capacity.pool_matrix import PoolMatrix
from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.entities import NodeId, PoolId, Request
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.clusters import POOLS, requests, snapshots
from tests.scheduler.scenario import snapshot_of

TRAINING = PoolId("training")


@given(snapshots(), st.data())
def test_yards_follow_the_rooms_through_placing_ending_and_undoing(
    snapshot: Snapshot, data: st.DataObject
) -> None:
    ledger = Ledger(snapshot)
    mark = ledger.mark()
    _compare(ledger, data)

    decide(ledger, snapshot.taken_at, explained=False)
    _compare(ledger, data)

    mark = ledger.mark()
    for workload in tuple(ledger.running)[::2]:
        ledger.release(workload)
    _compare(ledger, data)

    ledger.undo(mark)
    _compare(ledger, data)


def _compare(ledger: Ledger, data: st.DataObject) -> None:
    """Count with arrays and, one by one, without them; place exactly what fits."""
    for pool in POOLS:
        request = data.draw(requests(pool.id))
        for view in (ledger.free[pool.id], ledger.unreserved[pool.id]):
            by_node = [count_replicas(request, view[node]) for node in sorted(view)]
            assert view.matrix.count_replicas(request).tolist() == by_node
            fits = sum(by_node) >= request.replicas
            placements = place_gang(request, view.matrix)
            assert (placements is not None) is fits
            assert (find_shortfall(request, view.matrix) is None) is fits


def _site(*nodes: str, running: tuple[str, ...] = ()) -> Ledger:
    return Ledger(snapshot_of({"nodes": nodes, "running": running}))


def _nodes(request: Request, ledger: Ledger) -> list[str] | None:
    placements = place_gang(request, ledger.unreserved[TRAINING].matrix)
    return None if placements is None else [placement.node for placement in placements]


def test_ranks_prefer_nodes_of_one_switch_to_fewer_nodes_of_several() -> None:
    ledger = _site(
        "a1: 4 cards, switch east",
        "b1: 2 cards, switch west",
        "b2: 2 cards, switch west",
        "b3: 2 cards, switch west",
        "c1: 2 cards, switch south",
    )

    assert _nodes(Request(replicas=6, gpus=1), ledger) == ["b1", "b1", "b2", "b2", "b3", "b3"]
    assert _nodes(Request(replicas=4, gpus=1), ledger) == ["a1"] * 4
    assert _nodes(Request(replicas=8, gpus=1), ledger) is not None


IMAGE = CachedContent("image:torch", 18_000, frozenset({NodeId("n2")}))
DATA = CachedContent("dataset:voc@3", 2_000, frozenset({NodeId("n2"), NodeId("n3")}))


def _with_copies(*nodes: str, running: tuple[str, ...] = ()) -> PoolMatrix:
    site = replace(snapshot_of({"nodes": nodes, "running": running}), cached=(DATA, IMAGE))
    return Ledger(site).unreserved[TRAINING].matrix


@pytest.mark.parametrize(
    ("contents", "node"),
    [((), "n1"), (("image:torch",), "n2"), (("dataset:voc@3",), "n2"), (("image:rare",), "n1")],
)
def test_a_node_with_copies_is_preferred_to_its_equals(
    contents: tuple[str, ...], node: str
) -> None:
    matrix = _with_copies("n1: 4 cards", "n2: 4 cards", "n3: 4 cards")

    (placement,) = place_gang(Request(gpus=4), matrix, contents=contents) or ()

    assert placement.node == node


def test_the_node_with_the_larger_part_of_the_contents_is_preferred() -> None:
    matrix = _with_copies("n1: 4 cards", "n3: 4 cards", "n2: 4 cards")

    (placement,) = place_gang(Request(gpus=1), matrix, contents=(DATA.name, IMAGE.name)) or ()

    assert placement.node == "n2"


def test_ranks_prefer_nodes_with_copies() -> None:
    matrix = _with_copies("n1: 4 cards", "n2: 4 cards", "n3: 4 cards")

    placements = place_gang(Request(replicas=2, gpus=4), matrix, contents=(DATA.name,)) or ()

    assert {placement.node for placement in placements} == {"n2", "n3"}


def test_copies_neither_open_an_idle_node_nor_rule_others_out() -> None:
    opened = _with_copies("n1: 8 cards", "n2: 8 cards", running=("a: 3 cards on n1",))
    full = _with_copies("n1: 4 cards", "n2: 4 cards", running=("a: 4 cards on n2",))

    (beside,) = place_gang(Request(gpus=1), opened, contents=(IMAGE.name,)) or ()
    (elsewhere,) = place_gang(Request(gpus=1), full, contents=(IMAGE.name,)) or ()

    assert (beside.node, elsewhere.node) == ("n1", "n1")


def test_the_tightest_of_several_switches_is_taken() -> None:
    ledger = _site(
        "a1: 4 cards, switch east",
        "a2: 4 cards, switch east",
        "b1: 4 cards, switch west",
        "b2: 2 cards, switch west",
    )

    assert set(_nodes(Request(replicas=6, gpus=1), ledger) or ()) == {"b1", "b2"}


def test_cards_of_a_rank_come_from_one_island() -> None:
    ledger = _site("n1: 8 cards, islands of 4", running=("a: 2 cards on n1",))

    placements = place_gang(Request(replicas=1, gpus=4), ledger.unreserved[TRAINING].matrix)

    assert placements is not None
    assert [card for card, _ in placements[0].devices] == ["n1.4", "n1.5", "n1.6", "n1.7"]


def test_both_ranks_of_a_node_get_an_island_each() -> None:
    ledger = _site("n1: 8 cards, islands of 4")

    placements = place_gang(Request(replicas=2, gpus=3), ledger.unreserved[TRAINING].matrix)

    assert placements is not None
    islands = [{int(card[-1]) // 4 for card, _ in rank.devices} for rank in placements]
    assert islands in ([{0}, {1}], [{1}, {0}])


def test_shares_of_one_card_add_up_and_leave_whole_cards_whole() -> None:
    site = snapshot_of({"nodes": ["n1: 2 cards"], "waiting": ["a", "b", "whole", "c"]})
    asked = (
        Request(gpu_milli=500, gpu_memory_mib=8192),
        Request(gpu_milli=300),
        Request(gpus=1),
        Request(gpu_milli=300),
    )
    ledger = Ledger(
        replace(
            site,
            pending=tuple(
                replace(work, request=request)
                for work, request in zip(site.pending, asked, strict=True)
            ),
        )
    )

    plan = decide(ledger, ledger.now)

    cards = {str(place.workload): place.placements[0].devices[0][0] for place in plan.starts}
    assert cards.keys() == {"a", "b", "whole"}
    assert cards["a"] == cards["b"] != cards["whole"]
    assert [(reason.code, dict(reason.params)) for reason in plan.holds[0].reasons] == [
        (ReasonCode.INSUFFICIENT_NOW, {"resource": "share", "requested": 300, "free": 200})
    ]
    for workload in tuple(ledger.running):
        ledger.release(workload)
    assert all(card.is_untouched for card in ledger.free[TRAINING][NodeId("n1")].cards)


def test_memory_of_a_share_counts() -> None:
    ledger = _site("n1: 1 cards, 16384 MiB")
    half = Request(gpu_milli=100, gpu_memory_mib=10_000)

    assert _nodes(half, ledger) == ["n1"]
    assert _nodes(replace(half, replicas=2), ledger) is None
    assert _nodes(replace(half, gpu_memory_mib=8_000, replicas=2), ledger) == ["n1", "n1"]


def test_a_card_of_another_cut_takes_nothing_new() -> None:
    site = snapshot_of(
        {"pools": ["training: 4 slices of 8192 MiB"], "nodes": ["n1: 2 cards in training"]}
    )
    cards = (replace(site.accelerators[0], slices=8), site.accelerators[1])
    ledger = Ledger(replace(site, accelerators=cards))

    placements = place_gang(Request(replicas=5, slices=1), ledger.unreserved[TRAINING].matrix)

    assert placements is None
    four = place_gang(Request(replicas=4, slices=1), ledger.unreserved[TRAINING].matrix)
    assert four is not None
    assert {card for place in four for card, _ in place.devices} == {"n1.1"}
