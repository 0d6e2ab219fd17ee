"""The figures of a snapshot, counted anew from what runs: an independent second opinion."""

from collections import Counter, defaultdict
from dataclasses import replace

from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    NodeId,
    PoolId,
    RunningWorkload,
    UserId,
    UserQuotaUse,
    WorkloadId,
)
from scheduler.core.model.plan import Plan
from scheduler.core.model.resources import Resource
from scheduler.core.model.running import as_running
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
            replace(row, used=used[row.group, row.pool, row.resource, row.model])
            for row in snapshot.quotas
        ),
        user_use=tuple(
            UserQuotaUse(user, group, pool, resource, amount, model)
            for (user, group, pool, resource, model), amount in sorted(used_by.items(), key=str)
            if amount
        ),
        counters=tuple(
            replace(row, running=running[row.user, row.group]) for row in snapshot.counters
        ),
    )


def after(snapshot: Snapshot, plan: Plan) -> Snapshot:
    """Return the snapshot once every placement of the plan has started."""
    placed = {place.workload: place.placements for place in plan.starts}
    until = {each.id: each.ends_at(plan.made_at) for each in snapshot.reservations}
    inside = {
        place.workload: until[place.reservation] for place in plan.starts if place.reservation
    }
    started = tuple(
        as_running(item, placed[item.id], plan.made_at, inside.get(item.id))
        for item in snapshot.pending
        if item.id in placed
    )
    waiting = tuple(item for item in snapshot.pending if item.id not in placed)
    return recounted(replace(snapshot, pending=waiting, running=(*snapshot.running, *started)))


def without(snapshot: Snapshot, ended: WorkloadId) -> Snapshot:
    """Return the snapshot once a running workload has ended."""
    rest = tuple(item for item in snapshot.running if item.id != ended)
    return recounted(replace(snapshot, running=rest))


_Row = tuple[GroupId, PoolId | None, Resource, str]
_UserRow = tuple[UserId, GroupId, PoolId | None, Resource, str]


def _quota_use(snapshot: Snapshot) -> tuple[Counter[_Row], Counter[_UserRow]]:
    paths = {group.id: group.path for group in snapshot.groups}
    used: Counter[_Row] = Counter()
    used_by: Counter[_UserRow] = Counter()
    for item in snapshot.running:
        for (resource, model), amount in held_by(item, snapshot).items():
            for group in paths[item.group]:
                for pool in (None, item.pool):
                    used[group, pool, resource, model] += amount
                    used_by[item.user, group, pool, resource, model] += amount
    return used, used_by


def held_by(work: RunningWorkload, snapshot: Snapshot) -> Counter[tuple[Resource, str]]:
    """Return what running work holds of each resource, and of GPUs by model, device by device."""
    pools = {pool.id: pool for pool in snapshot.pools}
    cards = {card.id: card for card in snapshot.accelerators}
    request, pool = work.request, pools[work.pool]
    held: Counter[tuple[Resource, str]] = Counter()
    for placement in work.placements:
        held[Resource.CPU, ""] += request.cpu_milli
        held[Resource.MEMORY, ""] += request.memory_mib
        for card in {cards[name] for name, _ in placement.devices}:
            milli = 1000 if request.gpus else request.gpu_milli
            memory_mib = card.memory_mib if request.gpus else request.gpu_memory_mib
            if request.slices:
                milli = request.slices * (1000 // pool.slices_per_card)
                memory_mib = request.slices * pool.slice_mib
            if request.mig_profile:
                profiles = {each.name: each for each in card.mig_profiles}
                memory_mib = profiles[request.mig_profile].memory_mib
            held[Resource.GPU, ""] += milli
            held[Resource.GPU, card.model] += milli
            held[Resource.GPU_MEMORY, ""] += memory_mib
    return held
