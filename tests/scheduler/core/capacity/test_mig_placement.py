"""Partitions in placement: cards of many states, nodes of many cards, and reasons with numbers."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    Request,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.mig import find_profile, is_legal_placement
from scheduler.core.model.plan import Plan
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import decode_snapshot, encode_snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from tests.scheduler.core.model.test_mig import H100

POOL, TEAM, ADA = PoolId("mig"), GroupId("team"), UserId("ada")
NOW = Millis(1_000_000)
A100_40 = tuple(
    replace(item, name=name, size=size)
    for item, name, size in zip(H100[:2], ("1g.5gb", "1g.10gb"), (1, 2), strict=True)
)


def a_card(
    number: int = 0, *, node: int = 0, taken: frozenset[int] = frozenset()
) -> AcceleratorView:
    return AcceleratorView(
        id=AcceleratorId(f"c{node}{number}"),
        node=NodeId(f"n{node}"),
        pool=POOL,
        model="H100",
        memory_mib=81_559,
        state=AcceleratorState.OK,
        slices=8,
        taken_slots=taken,
        index=number,
        mig_profiles=H100,
    )


def work(name: str, profile: str, replicas: int = 1) -> PendingWorkload:
    found = find_profile(H100, profile)
    assert found is not None
    request = Request(replicas=replicas, slices=found.size, mig_profile=profile, cpu_milli=1000)
    return PendingWorkload(
        id=WorkloadId(name),
        pool=POOL,
        group=TEAM,
        user=ADA,
        priority=0,
        submitted_at=NOW,
        request=request,
        version=0,
        time_limit_s=3600,
    )


def a_cluster(
    *cards: AcceleratorView,
    pending: tuple[PendingWorkload, ...] = (),
    running: tuple[RunningWorkload, ...] = (),
) -> Snapshot:
    nodes = sorted({card.node for card in cards})
    return Snapshot(
        taken_at=NOW,
        pools=(PoolView(POOL, "mig", slices_per_card=8, slice_mib=9984),),
        nodes=tuple(NodeView(node, node, NodeState.READY, 96_000, 512_000) for node in nodes),
        accelerators=cards,
        groups=(GroupView(TEAM, "team", (TEAM,)),),
        pending=pending,
        running=running,
    )


def plan_of(*cards: AcceleratorView, pending: tuple[PendingWorkload, ...]) -> Plan:
    snapshot = a_cluster(*cards, pending=pending)
    assert decode_snapshot(encode_snapshot(snapshot)) == snapshot
    return run_cycle(snapshot, NOW)


def held(plan: Plan) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Return the card and the slices of each rank of each workload."""
    return {
        place.workload: [
            (item.devices[0][0], tuple(slot for _, slot in item.devices))
            for item in place.placements
        ]
        for place in plan.starts
    }


def test_a_card_fills_up_without_a_slice_in_the_wrong_place() -> None:
    pending = tuple(work(f"w{i}", name) for i, name in enumerate(("1g.10gb", "2g.20gb", "4g.40gb")))
    found = held(plan_of(a_card(), pending=pending))
    assert found == {"w0": [("c00", (6,))], "w1": [("c00", (4, 5))], "w2": [("c00", (0, 1, 2, 3))]}


def test_a_card_that_is_cut_already_is_used_before_one_that_is_whole() -> None:
    cards = (a_card(0), a_card(1, taken=frozenset({4, 5})), a_card(0, node=1))
    found = held(plan_of(*cards, pending=(work("small", "1g.10gb"), work("all", "7g.80gb"))))
    assert found["small"] == [("c01", (6,))]
    assert found["all"] in [[("c00", tuple(range(8)))], [("c10", tuple(range(8)))]]


def test_a_gang_of_partitions_fits_on_one_card_and_not_one_more() -> None:
    fits = held(plan_of(a_card(), pending=(work("gang", "1g.10gb", 7),)))["gang"]
    assert sorted(slots for _, slots in fits) == [(n,) for n in range(7)]
    plan = plan_of(a_card(taken=frozenset({0})), pending=(work("gang", "1g.10gb", 7),))
    assert not plan.starts
    (hold,) = plan.holds
    assert hold.reasons[0].code is ReasonCode.GANG_INCOMPLETE
    assert hold.reasons[0].params["placeable"] == 6


def test_free_slices_that_no_partition_covers_are_called_fragments() -> None:
    plan = plan_of(a_card(taken=frozenset({1, 5})), pending=(work("w", "3g.40gb"),))
    (hold,) = plan.holds
    (reason, *_) = hold.reasons
    assert reason.code is ReasonCode.FRAGMENTED
    assert reason.params == {"resource": "slices", "requested": 4, "free": 6, "largest": 3}
    full = plan_of(a_card(taken=frozenset(range(7))), pending=(work("w", "1g.10gb"),)).holds[0]
    assert full.reasons[0].code in {ReasonCode.INSUFFICIENT_NOW, ReasonCode.FRAGMENTED}


def test_one_name_for_two_sizes_is_not_mixed_up() -> None:
    other = replace(a_card(0, node=1), mig_profiles=A100_40, model="A100")
    found = held(plan_of(a_card(taken=frozenset(range(7))), other, pending=(work("w", "1g.10gb"),)))
    assert found == {}
    plain = replace(work("w", "1g.10gb"), request=Request(slices=1))
    assert not plan_of(a_card(), pending=(plain,)).starts, "a card that is cut gives profiles only"


profiles = st.sampled_from([item.name for item in H100])


@given(
    st.lists(st.frozensets(st.integers(0, 7)), min_size=1, max_size=4),
    st.lists(st.tuples(profiles, st.integers(1, 3)), min_size=1, max_size=12),
)
def test_plans_overlap_nothing_cover_legal_runs_and_refuse_only_what_fits_nowhere(
    taken: list[frozenset[int]], asked: list[tuple[str, int]]
) -> None:
    cards = [a_card(i % 2, node=i // 2, taken=slots) for i, slots in enumerate(taken)]
    pending = tuple(work(f"w{i:02}", name, ranks) for i, (name, ranks) in enumerate(asked))
    plan = plan_of(*cards, pending=pending)
    used = {card.id: set(card.taken_slots) for card in cards}
    names = {item.id: item.request.mig_profile for item in pending}
    for place in plan.starts:
        for placement in place.placements:
            (card,) = {card for card, _ in placement.devices}
            slots = {slot for _, slot in placement.devices}
            assert is_legal_placement(H100, names[place.workload], slots)
            assert not slots & used[card]
            used[card] |= slots
    started = {place.workload for place in plan.starts}
    for item in pending:
        profile = find_profile(H100, item.request.mig_profile)
        assert profile is not None
        if item.id not in started and item.request.replicas == 1 and item is pending[0]:
            assert not any(
                set(range(s, s + profile.size)).isdisjoint(card.taken_slots)
                for card in cards
                for s in profile.starts
            )
