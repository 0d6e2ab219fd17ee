"""Parked notebooks that request their GPUs again, as pending work that only one node can serve.

Each request has an id of its own, because the notebook itself keeps running, and requests nothing
but GPUs.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from portal.common.clock import to_millis
from portal.common.work_kinds import KINDS
from portal.tenancy.submitters import Owner, find_without_right
from portal.workloads import idleness
from portal.workloads.models import Allocation, Idleness, Workload
from portal.workloads.request_columns import request_of
from portal.workloads.snapshot.holds import OWNER_REASON
from portal.workloads.snapshot.running import LiveAllocation
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    PoolId,
    UserId,
    WorkloadId,
)
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.states import LIVE_ALLOCATION, WorkloadState


@dataclass(frozen=True, slots=True)
class GpuRequests:
    """Requests for GPUs by parked notebooks, and the running workloads that they belong to."""

    pending: tuple[PendingWorkload, ...] = ()
    workloads: frozenset[WorkloadId] = frozenset()


def load_gpu_requests(held: Collection[LiveAllocation], moment: datetime) -> GpuRequests:
    """Return the waiting requests; where there is none, that takes one query."""
    if not idleness.requests_for_system():
        return GpuRequests()
    requested = Idleness.objects.filter(
        gpu_state=Idleness.GpuState.REQUESTED,
        workload__state=WorkloadState.RUNNING,
        gpu_request__isnull=False,
    )
    rows = list(requested.select_related("workload").order_by("gpu_request"))
    taken = {device for item in held for device in item.devices}
    live = Allocation.objects.filter(
        workload__in=[row.pk for row in rows], state__in=LIVE_ALLOCATION
    ).select_related("node")
    homes = {(item.workload_id, item.epoch): item for item in live}
    found = [
        row for row in rows if row.epoch == row.workload.epoch and (row.pk, row.epoch) in homes
    ]
    left = find_without_right({_owner_of(row) for row in found})
    pending = (_pending_workload(row, homes[row.pk, row.epoch], taken, moment) for row in found)
    return GpuRequests(
        tuple(
            replace(work, held=(*OWNER_REASON, *work.held))
            if (work.user, work.group) in left
            else work
            for work in pending
        ),
        frozenset(WorkloadId(str(row.pk)) for row in found),
    )


def _owner_of(row: Idleness) -> Owner:
    return str(row.workload.owner_id), str(row.workload.group_id)


def _pending_workload(
    row: Idleness,
    home: Allocation,
    taken: Collection[tuple[AcceleratorId, int]],
    moment: datetime,
) -> PendingWorkload:
    work = row.workload
    request = replace(
        request_of(work),
        cpu_milli=0,
        memory_mib=0,
        home_nodes=frozenset({NodeId(str(home.node_id))}),
    )
    is_high = work.priority_until is None or work.priority_until > moment
    return PendingWorkload(
        id=WorkloadId(str(row.gpu_request)),
        pool=PoolId(str(work.pool_id)),
        group=GroupId(str(work.group_id)),
        user=UserId(str(work.owner_id)),
        priority=work.priority if is_high else 0,
        submitted_at=Millis(to_millis(row.gpu_state_since or moment)),
        request=request,
        version=work.version,
        time_limit_s=_left_s(work, moment),
        held=_blocking_reasons(home, taken),
        traits=KINDS[work.kind].traits,
    )


def _left_s(work: Workload, moment: datetime) -> int | None:
    """Return how long it may still run; None with an open end."""
    if work.time_limit_s is None:
        return None
    ends_at = (work.started_at or moment) + timedelta(seconds=work.time_limit_s)
    return max(1, int((ends_at - moment).total_seconds()))


def _blocking_reasons(
    home: Allocation, taken: Collection[tuple[AcceleratorId, int]]
) -> tuple[Reason, ...]:
    """Return as reason that the notebook's own cards are in use, if it cannot run on other cards."""
    if not idleness.needs_same_cards(home):
        return ()
    own = idleness.last_released_devices(home)
    free = sum(device not in taken for device in own)
    if free == len(own):
        return ()
    params: dict[str, int | str] = {"resource": "gpus", "requested": len(own), "free": free}
    return (Reason(ReasonCode.INSUFFICIENT_NOW, params),)
