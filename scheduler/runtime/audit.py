"""The read-only audit: the database as plain facts, checked by the core invariants."""

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet, Sum

from portal.audit import chain
from portal.common.clock import now
from portal.inventory.models import Accelerator, Node
from portal.quotas.models import Quota
from portal.tenancy.selectors import paths_for_system
from portal.workloads.gpu_accounting import COUNT_AFTER
from portal.workloads.models import (
    Allocation,
    AllocationDevice,
    DailyGpuUse,
    Workload,
    WorkloadEvent,
)
from portal.workloads.state.placement_recheck import allocatable_cpu_milli
from scheduler.core.invariants.checks import Violation, find_violations
from scheduler.core.invariants.facts import (
    AllocationFact,
    CardFact,
    DeviceFact,
    EventFact,
    Facts,
    MeterFact,
    NodeFact,
    WorkloadFact,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    NodeId,
    PoolId,
    QuotaView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.states import AllocationState, WorkloadState
from scheduler.core.placement.shape import MILLI_PER_GPU
from wire.values import DEVICES_MAX

_MS: Final = timedelta(milliseconds=1)
_DAY: Final = timedelta(days=1)


def audit_database() -> tuple[Violation, ...]:
    """Return every broken invariant that the database itself can show."""
    return (*find_violations(load_facts()), *_broken_seals())


def _broken_seals() -> Iterator[Violation]:
    """Yield the seals of the audit log that do not fit their events."""
    for found in chain.find_breaks_for_system():
        yield Violation("audit_chain", f"seal {found.seal_id}", found.detail)


def load_facts() -> Facts:
    """Load everything that the checks look at; containers are not visible from here."""
    with _one_moment():
        devices = _devices()
        return Facts(
            workloads=tuple(_workload(row) for row in Workload.objects.order_by("id")),
            allocations=tuple(
                _allocation(row, tuple(devices[row.pk]))
                for row in Allocation.objects.order_by("id")
            ),
            cards=tuple(_card(row) for row in Accelerator.objects.order_by("id")),
            nodes=tuple(_node(row) for row in Node.objects.select_related("pool").order_by("id")),
            quotas=tuple(_quota(row) for row in Quota.objects.order_by("id")),
            ancestry=tuple(
                (GroupId(str(leaf)), tuple(GroupId(str(group)) for group in path))
                for leaf, path in paths_for_system().items()
            ),
            meter=tuple(_meter()),
            events=tuple(_event(row) for row in _transitions()),
        )


@contextlib.contextmanager
def _one_moment() -> Iterator[None]:
    """Run all queries on the same view of the data; inside a transaction of the caller, join it."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _devices() -> dict[UUID, list[DeviceFact]]:
    found: dict[UUID, list[DeviceFact]] = defaultdict(list)
    held = AllocationDevice.objects.filter(
        Q(released_at=None) | Q(allocation__state=AllocationState.RELEASED)
    )
    for row in held.order_by("id"):
        card = AcceleratorId(str(row.accelerator_id))
        gpu_memory_mib = row.memory_mib if row.gpu_milli else 0
        found[row.allocation_id].append(
            DeviceFact(card, row.slot, row.slices, row.gpu_milli, gpu_memory_mib)
        )
    return found


def _workload(row: Workload) -> WorkloadFact:
    return WorkloadFact(
        WorkloadId(str(row.pk)),
        GroupId(str(row.group_id)),
        UserId(str(row.owner_id)),
        PoolId(str(row.pool_id)),
        WorkloadState(row.state),
        row.epoch,
        row.replicas,
        row.preemptible,
    )


def _allocation(row: Allocation, devices: tuple[DeviceFact, ...]) -> AllocationFact:
    since = row.gpus_since or row.created_at
    until = row.billed_until or row.released_at or row.accounted_until or since
    counted = max(until - since, timedelta())
    existed = max((row.released_at or now()) - row.created_at, timedelta())
    pieces = counted // COUNT_AFTER + counted // _DAY + 3
    had = existed // COUNT_AFTER + existed // _DAY + 3 if row.released_gpu_milli_ms else 0
    return AllocationFact(
        WorkloadId(str(row.workload_id)),
        row.rank,
        row.epoch,
        NodeId(str(row.node_id)),
        AllocationState(row.state),
        Resources(row.total_gpu_milli, row.total_gpu_memory_mib, row.cpu_milli, row.memory_mib),
        devices,
        metered=row.total_gpu_milli * (counted // _MS) + row.released_gpu_milli_ms,
        metered_pieces=pieces,
        metered_slack=had * MILLI_PER_GPU * DEVICES_MAX,
        gpu_milli_by_model=row.gpu_milli_by_model,
        user=UserId(str(row.owner_id)) if row.owner_id else None,
    )


def _meter() -> Iterator[MeterFact]:
    rows = DailyGpuUse.objects.values_list("group", "user", "pool").order_by(
        "group", "user", "pool"
    )
    for group, user, pool, held in rows.annotate(sum=Sum("gpu_milli_ms")):
        yield MeterFact(GroupId(str(group)), UserId(str(user)), PoolId(str(pool)), held)


def _card(row: Accelerator) -> CardFact:
    return CardFact(
        AcceleratorId(str(row.pk)),
        NodeId(str(row.node_id)),
        PoolId(str(row.pool_id)),
        row.slices,
        row.slice_mib,
        row.reserve_mib,
        row.memory_mib,
    )


def _node(row: Node) -> NodeFact:
    return NodeFact(NodeId(str(row.pk)), allocatable_cpu_milli(row, row.pool), row.memory_mib)


def _quota(row: Quota) -> QuotaView:
    return QuotaView(
        GroupId(str(row.group_id)),
        PoolId(str(row.pool_id)) if row.pool_id else None,
        Resource(row.resource),
        row.ceiling,
        row.used,
        row.user_ceiling,
        model=row.model,
    )


def _transitions() -> "QuerySet[WorkloadEvent]":
    """Return the log without the notes, which change no state."""
    return WorkloadEvent.objects.exclude(from_state=F("to_state")).order_by("id")


def _event(row: WorkloadEvent) -> EventFact:
    source = WorkloadState(row.from_state) if row.from_state else None
    return EventFact(
        WorkloadId(str(row.workload_id)), source, WorkloadState(row.to_state), row.epoch, row.cause
    )
