"""The figures of a snapshot, counted anew from what runs: an independent second opinion."""

from collections import Counter, defaultdict
from dataclasses import replace

from scheduler.core.ledger import as_running
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    NodeId,
    PoolId,
    UserId,
    UserQuotaUse,
    WorkloadId,
    demand_per_replica,
)
from scheduler.core.model.plan import Plan
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot


def recounted(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with all use counted from `running` alone."""
    taken: dict[AcceleratorId, set[int]] = defaultdict(set)
    cpu: Counter[NodeId] = Counter()
    memory: Counter[NodeId] = Counter()
    running: Counter[tuple[UserId, GroupId]] = Counter()
    shares: Counter[AcceleratorId] = Counter()
    share_mib: Counter[AcceleratorId] = Counter()
    for workload in snapshot.running:
        running[workload.user, workload.group] += 1
        for placement in workload.placements:
            cpu[placement.node] += workload.request.cpu_milli
            memory[placement.node] += workload.request.memory_mib
            for card, slot in placement.devices:
                if workload.request.gpu_milli:
                    shares[card] += workload.request.gpu_milli
                    share_mib[card] += workload.request.gpu_memory_mib
                    assert shares[card] <= 1000, f"{card}: {shares[card]} thousandths"
                    continue
                assert slot not in taken[card], f"{workload.id}: slot {slot} of {card} twice"
                taken[card].add(slot)
    assert not [card for card in shares if taken[card]], "a card is both whole and shared"
    used, used_by = _quota_use(snapshot)
    return replace(
        snapshot,
        nodes=tuple(
            replace(node, cpu_used_milli=cpu[node.id], memory_used_mib=memory[node.id])
            for node in snapshot.nodes
        ),
        accelerators=tuple(
            replace(
                card,
                taken_slots=frozenset(taken[card.id]),
                gpu_milli_taken=shares[card.id],
                gpu_memory_taken_mib=share_mib[card.id],
            )
            for card in snapshot.accelerators
        ),
        quotas=tuple(
            replace(row, used=used[row.group, row.pool, row.resource]) for row in snapshot.quotas
        ),
        user_use=tuple(
            UserQuotaUse(*key, used=amount) for key, amount in sorted(used_by.items(), key=str)
        ),
        counters=tuple(
            replace(row, running=running[row.user, row.group]) for row in snapshot.counters
        ),
    )


def after(snapshot: Snapshot, plan: Plan) -> Snapshot:
    """Return the snapshot once every placement of the plan has started."""
    placed = {place.workload: place.placements for place in plan.starts}
    started = tuple(
        as_running(item, placed[item.id], plan.made_at)
        for item in snapshot.pending
        if item.id in placed
    )
    waiting = tuple(item for item in snapshot.pending if item.id not in placed)
    return recounted(replace(snapshot, pending=waiting, running=(*snapshot.running, *started)))


def without(snapshot: Snapshot, ended: WorkloadId) -> Snapshot:
    """Return the snapshot once a running workload has ended."""
    rest = tuple(item for item in snapshot.running if item.id != ended)
    return recounted(replace(snapshot, running=rest))


_Row = tuple[GroupId, PoolId | None, Resource]


def _quota_use(
    snapshot: Snapshot,
) -> tuple[Counter[_Row], Counter[tuple[UserId, GroupId, PoolId | None, Resource]]]:
    paths = {group.id: group.path for group in snapshot.groups}
    pools = {pool.id: pool for pool in snapshot.pools}
    used: Counter[_Row] = Counter()
    used_by: Counter[tuple[UserId, GroupId, PoolId | None, Resource]] = Counter()
    for item in snapshot.running:
        cost = demand_per_replica(item.request, pools[item.pool]).times(item.request.replicas)
        for group in paths[item.group]:
            for pool in (None, item.pool):
                for resource in Resource:
                    used[group, pool, resource] += cost.get(resource)
                    used_by[item.user, group, pool, resource] += cost.get(resource)
    return used, used_by
