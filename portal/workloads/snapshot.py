"""Everything a scheduling cycle decides on, read at one moment in a fixed number of queries."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from portal.common.clock import millis, now
from portal.inventory.models import Accelerator, Node, Pool
from portal.quotas.models import GroupLimit, Quota, UserUse
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, AllocationDevice, Workload
from portal.workloads.placement import LIVE, allocatable_cpu
from portal.workloads.retry import INFRASTRUCTURE_CAUSES
from scheduler.core import entities
from scheduler.core.entities import (
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
    UserCounters,
    UserId,
    WorkloadId,
)
from scheduler.core.reasons import Reason, ReasonCode
from scheduler.core.resources import Resource
from scheduler.core.snapshot import Snapshot
from scheduler.core.states import HOLDING, AcceleratorState, NodeState, WorkloadState

_FAULTS_OF_NODES: Final = frozenset(
    {"start_failed", "image_unavailable"} | INFRASTRUCTURE_CAUSES - {"not_started"}
)
"""Ends after which the next attempt prefers another node."""


def load_snapshot() -> Snapshot:
    """Read the whole cluster and its queue as they were at one moment."""
    with _one_moment():
        held = _live_allocations()
        pending = _pending(held)
        return Snapshot(
            taken_at=Millis(millis(now())),
            pools=_pools(),
            nodes=_nodes(held),
            accelerators=_accelerators(held),
            groups=_groups(),
            quotas=_quotas(),
            user_use=_user_use(),
            counters=_counters(held, pending),
            pending=pending,
            running=_running(held),
        )


def load_site() -> Snapshot:
    """Read what there is and what groups may hold, without anything that waits or runs."""
    with _one_moment():
        return Snapshot(
            taken_at=Millis(millis(now())),
            pools=_pools(),
            nodes=_nodes(()),
            accelerators=_accelerators(()),
            groups=_groups(),
            quotas=_quotas(),
        )


@contextlib.contextmanager
def _one_moment() -> Iterator[None]:
    """Give all queries inside the same view of the data; a caller's own transaction is joined."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


class _Held(NamedTuple):
    """A live allocation, with the slots it holds and the workload that it serves."""

    workload: Workload
    node_id: UUID
    cpu_milli: int
    memory_mib: int
    devices: tuple[tuple[UUID, int], ...]


def _live_allocations() -> Sequence[_Held]:
    """Return them by workload and rank."""
    slots: dict[UUID, list[tuple[UUID, int]]] = defaultdict(list)
    live = AllocationDevice.objects.filter(released_at=None).order_by("accelerator", "slot")
    for allocation, accelerator, slot in live.values_list("allocation", "accelerator", "slot"):
        slots[allocation].append((accelerator, slot))
    rows = Allocation.objects.filter(state__in=LIVE).select_related("workload")
    return [
        _Held(row.workload, row.node_id, row.cpu_milli, row.memory_mib, tuple(slots[row.pk]))
        for row in rows.defer("workload__spec").order_by("workload", "rank")
    ]


def _pools() -> tuple[PoolView, ...]:
    columns = ("id", "name", "is_open", "slices_per_card", "slice_mib")
    rows = Pool.objects.order_by("id").values_list(*columns)
    return tuple(PoolView(PoolId(str(row[0])), *row[1:]) for row in rows)


def _nodes(held: Collection[_Held]) -> tuple[NodeView, ...]:
    cpu: Counter[UUID] = Counter()
    memory: Counter[UUID] = Counter()
    for item in held:
        cpu[item.node_id] += item.cpu_milli
        memory[item.node_id] += item.memory_mib
    return tuple(
        NodeView(
            id=NodeId(str(node.pk)),
            name=node.name,
            state=NodeState(node.state),
            cpu=allocatable_cpu(node, node.pool),
            memory=node.memory_mib,
            cpu_used=cpu[node.pk],
            memory_used=memory[node.pk],
        )
        for node in Node.objects.select_related("pool").order_by("id")
    )


def _accelerators(held: Collection[_Held]) -> tuple[AcceleratorView, ...]:
    taken: dict[UUID, set[int]] = defaultdict(set)
    for item in held:
        for accelerator, slot in item.devices:
            taken[accelerator].add(slot)
    return tuple(
        AcceleratorView(
            id=AcceleratorId(str(card.pk)),
            node=NodeId(str(card.node_id)),
            pool=PoolId(str(card.pool_id)),
            model=card.model,
            memory_mib=card.memory_mib,
            state=AcceleratorState(card.state),
            slices=card.slices,
            taken=frozenset(taken[card.pk]),
            index=card.index,
        )
        for card in Accelerator.objects.order_by("id")
    )


def _groups() -> tuple[GroupView, ...]:
    rows = {row[0]: row for row in Group.objects.order_by("id").values_list("id", "name", "parent")}

    def path(group_id: UUID | None) -> tuple[GroupId, ...]:
        if group_id is None:
            return ()
        return (*path(rows[group_id][2]), GroupId(str(group_id)))

    return tuple(GroupView(GroupId(str(key)), row[1], path(key)) for key, row in rows.items())


def _quotas() -> tuple[QuotaView, ...]:
    return tuple(
        QuotaView(
            group=GroupId(str(row.group_id)),
            pool=_pool_id(row.pool_id),
            resource=Resource(row.resource),
            ceiling=row.ceiling,
            used=row.used,
            user_ceiling=row.user_ceiling,
        )
        for row in Quota.objects.order_by("id")
    )


def _user_use() -> tuple[entities.UserUse, ...]:
    rows = UserUse.objects.filter(quota__user_ceiling__isnull=False).order_by("id")
    columns = ("user", "quota__group", "quota__pool", "quota__resource", "used")
    return tuple(
        entities.UserUse(
            user=UserId(str(user)),
            group=GroupId(str(group)),
            pool=_pool_id(pool),
            resource=Resource(resource),
            used=used,
        )
        for user, group, pool, resource, used in rows.values_list(*columns)
    )


def _pool_id(key: UUID | None) -> PoolId | None:
    return None if key is None else PoolId(str(key))


def _counters(
    held: Collection[_Held], pending: Collection[PendingWorkload]
) -> tuple[UserCounters, ...]:
    """Count what each member runs, or waits to run, in the groups that limit it."""
    limits = GroupLimit.objects.filter(running_per_user_max__isnull=False)
    most = {
        GroupId(str(group)): limit
        for group, limit in limits.values_list("group", "running_per_user_max")
    }
    running = Counter(
        (UserId(str(owner)), GroupId(str(group)))
        for owner, group, _ in {
            (item.workload.owner_id, item.workload.group_id, item.workload.pk)
            for item in held
            if item.workload.state in HOLDING
        }
    )
    members = running.keys() | {(item.user, item.group) for item in pending}
    return tuple(
        UserCounters(user, group, running[user, group], most[group])
        for user, group in sorted(members)
        if group in most
    )


_OF_PENDING: Final = (
    *("id", "pool", "group", "owner", "kind", "priority", "submitted_at", "version"),
    "time_limit_s",
)
_OF_REQUEST: Final = ("replicas", "cards", "slices", "cpu_milli", "memory_mib")
"""In the order of the fields of `Request`."""


def _pending(held: Collection[_Held]) -> tuple[PendingWorkload, ...]:
    """Return what is queued; read as plain columns, because there may be thousands."""
    still_held = Counter(item.workload.pk for item in held)
    avoid = _nodes_to_avoid()
    queued = Workload.objects.filter(state=WorkloadState.QUEUED).order_by("id")
    return tuple(
        PendingWorkload(
            id=WorkloadId(str(key)),
            pool=PoolId(str(pool)),
            group=GroupId(str(group)),
            user=UserId(str(owner)),
            kind=kind,
            priority=priority,
            submitted_at=Millis(millis(submitted_at)),
            request=Request(*request),
            version=version,
            time_limit_s=time_limit_s,
            held=_waiting_for_eviction(still_held[key]),
            avoid=avoid.get(key, frozenset()),
        )
        for (
            key,
            pool,
            group,
            owner,
            kind,
            priority,
            submitted_at,
            version,
            time_limit_s,
            *request,
        ) in queued.values_list(*_OF_PENDING, *_OF_REQUEST)
    )


def _nodes_to_avoid() -> Mapping[UUID, frozenset[NodeId]]:
    """Return the nodes on which the last attempt of queued work failed by their own fault."""
    nodes: dict[UUID, set[NodeId]] = defaultdict(set)
    last_attempts = Allocation.objects.filter(
        workload__state=WorkloadState.QUEUED,
        epoch=F("workload__epoch"),
        exit_cause__in=_FAULTS_OF_NODES,
    )
    for workload, node in last_attempts.values_list("workload", "node"):
        nodes[workload].add(NodeId(str(node)))
    return {workload: frozenset(ids) for workload, ids in nodes.items()}


def _waiting_for_eviction(allocations: int) -> tuple[Reason, ...]:
    """Say that containers of an earlier attempt must be proven gone first."""
    if not allocations:
        return ()
    return (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": allocations}),)


def _running(held: Collection[_Held]) -> tuple[RunningWorkload, ...]:
    """Return what holds its place; queued work with an earlier attempt's rest is pending."""
    ranks: dict[UUID, list[_Held]] = defaultdict(list)
    for item in held:
        if item.workload.state in HOLDING:
            ranks[item.workload.pk].append(item)
    return tuple(
        _running_view(items[0].workload, tuple(_placement(item) for item in items))
        for items in ranks.values()
    )


def _running_view(row: Workload, placements: tuple[Placement, ...]) -> RunningWorkload:
    return RunningWorkload(
        id=WorkloadId(str(row.pk)),
        pool=PoolId(str(row.pool_id)),
        group=GroupId(str(row.group_id)),
        user=UserId(str(row.owner_id)),
        kind=row.kind,
        priority=row.priority,
        request=_request(row),
        placements=placements,
        ends_at=_ends_at(row),
        stopping=row.state == WorkloadState.STOPPING,
    )


def _ends_at(row: Workload) -> Millis | None:
    """Return when the time limit ends a run that has started."""
    if row.state != WorkloadState.RUNNING or row.started_at is None:
        return None
    return Millis(millis(row.started_at) + row.time_limit_s * 1000)


def _placement(item: _Held) -> Placement:
    devices = tuple((AcceleratorId(str(card)), slot) for card, slot in item.devices)
    return Placement(NodeId(str(item.node_id)), devices)


def _request(workload: Workload) -> Request:
    return Request(
        replicas=workload.replicas,
        cards=workload.cards,
        slices=workload.slices,
        cpu=workload.cpu_milli,
        memory=workload.memory_mib,
    )
