"""More time for running work: which promised starts it would delay, found by the cycle itself."""

from dataclasses import replace

from scheduler.core.extension import find_delayed_reservations
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    Placement,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState

TEN_MINUTES_S = 600
TEN_MINUTES_MS = TEN_MINUTES_S * 1000
MINE, THEIRS = GroupId("mine"), GroupId("theirs")
POOL, NODE = PoolId("pool"), NodeId("node")
WORK = WorkloadId("running")


def a_snapshot() -> Snapshot:
    """Return a node of two cards, one held for ten minutes, and work of others that needs both."""
    cards = [AcceleratorId(f"card-{index}") for index in range(2)]
    return Snapshot(
        taken_at=Millis(0),
        pools=(PoolView(POOL, "pool"),),
        groups=tuple(GroupView(group, group, (group,)) for group in (MINE, THEIRS)),
        nodes=(NodeView(NODE, "node", NodeState.READY, 64_000, 65_536),),
        accelerators=tuple(
            AcceleratorView(
                card,
                NODE,
                POOL,
                "H100",
                81_920,
                AcceleratorState.OK,
                1,
                taken_slots=frozenset({0} if index == 0 else ()),
            )
            for index, card in enumerate(cards)
        ),
        running=(
            RunningWorkload(
                WORK,
                POOL,
                MINE,
                UserId("me"),
                0,
                Request(gpus=1),
                (Placement(NODE, ((cards[0], 0),)),),
                ends_at=Millis(TEN_MINUTES_MS),
                started_at=Millis(0),
            ),
        ),
        pending=(
            PendingWorkload(
                WorkloadId("waiting"),
                POOL,
                THEIRS,
                UserId("other"),
                0,
                Millis(0),
                Request(gpus=2),
                version=0,
                time_limit_s=TEN_MINUTES_S,
            ),
        ),
    )


def test_a_promise_that_begins_later_is_named_with_both_times() -> None:
    (delay,) = find_delayed_reservations(a_snapshot(), WORK, TEN_MINUTES_S)

    assert (delay.workload, delay.group, delay.user) == ("waiting", THEIRS, "other")
    assert (delay.promised_at, delay.starts_at) == (TEN_MINUTES_MS, 2 * TEN_MINUTES_MS)


def test_more_time_for_what_the_promise_does_not_wait_for_delays_nothing() -> None:
    snapshot = a_snapshot()
    (waiting,) = snapshot.pending
    small = replace(waiting, request=Request(gpus=1))

    assert find_delayed_reservations(replace(snapshot, pending=(small,)), WORK, TEN_MINUTES_S) == ()
    assert find_delayed_reservations(replace(snapshot, pending=()), WORK, TEN_MINUTES_S) == ()
    assert find_delayed_reservations(snapshot, WorkloadId("unknown"), TEN_MINUTES_S) == ()


def test_the_least_of_the_ceilings_of_all_and_of_one_member_applies() -> None:
    row = QuotaView(
        MINE, None, Resource.GPU, None, user_ceiling=4000, own_ceilings=((UserId("me"), 2000),)
    )

    assert row.limits_members
    assert (row.member_ceiling(UserId("me")), row.member_ceiling(UserId("you"))) == (2000, 4000)
    higher = replace(row, own_ceilings=((UserId("me"), 9000),))
    assert higher.member_ceiling(UserId("me")) == 4000
    assert not replace(row, user_ceiling=None, own_ceilings=()).limits_members
