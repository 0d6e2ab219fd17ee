"""The undo law: whatever was decided since a mark, undo leaves no trace of it."""

from itertools import pairwise

from hypothesis import given

from scheduler.core.actions.allocate import allocate_waiting
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId, PendingWorkload, PoolId
from scheduler.core.model.reasons import Reason
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.ordering.work_classes import ClassedQueue
from tests.scheduler.clusters import snapshots

Trace = tuple[
    list[tuple[PoolId, NodeId, NodeCapacity]],
    list[tuple[Reason, ...]],
    dict[PoolId, PendingWorkload],
]


@given(snapshots())
def test_undo_restores_every_room_and_every_quota(snapshot: Snapshot) -> None:
    ledger = Ledger(snapshot)
    queue = sort_queue(snapshot.pending, ledger.fair_share_state())
    half = len(queue) // 2
    list(allocate_waiting(ClassedQueue(queue[:half]), ledger))
    before, mark = _trace(ledger, snapshot), ledger.mark()

    list(allocate_waiting(ClassedQueue(queue[half:]), ledger))
    ledger.undo(mark)

    assert _trace(ledger, snapshot) == before


@given(snapshots())
def test_the_views_are_nested(snapshot: Snapshot) -> None:
    ledger = Ledger(snapshot)

    queue = sort_queue(snapshot.pending, ledger.fair_share_state())
    list(allocate_waiting(ClassedQueue(queue), ledger))

    for pool in snapshot.pools:
        views = [
            ledger.unreserved[pool.id],
            ledger.free[pool.id],
            ledger.usable[pool.id],
            ledger.installed[pool.id],
        ]
        for inner, outer in pairwise(views):
            assert all(_is_within(capacity, outer[node]) for node, capacity in inner.items())


def _is_within(inner: NodeCapacity, outer: NodeCapacity) -> bool:
    free = {card.view.id: card.free_slots for card in outer.cards}
    return (
        inner.cpu_milli <= outer.cpu_milli
        and inner.memory_mib <= outer.memory_mib
        and all(card.free_slots <= free[card.view.id] for card in inner.cards)
    )


def _trace(ledger: Ledger, snapshot: Snapshot) -> Trace:
    """Return all that a later decision could see."""
    views = (ledger.free, ledger.unreserved)
    capacities = [
        (pool.id, capacity.node, capacity)
        for view in views
        for pool in snapshot.pools
        for capacity in view[pool.id].values()
    ]
    refusals = [ledger.quotas.refusals(item) for item in snapshot.pending]
    return capacities, refusals, dict(ledger.starts.first_blocked)
