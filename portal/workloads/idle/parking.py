"""Parking: an idle notebook releases its GPUs, keeps running, and gets them again by the queue.

Held → releasing (its node was ordered to) → released (its node has verified it; only now are the GPUs
free) → requested (it waits in the queue like any other work, for its own node) → restoring → held.
The states are those of `Idleness.GpuState`; the allocation keeps node, epoch, CPU and memory
throughout. See docs/adr/0025.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.ids import new_id
from portal.common.notifications import wake_nodes, wake_scheduler
from portal.quotas.services import QuotaReservations
from portal.tenancy.submitters import share_users
from portal.workloads import idleness
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.idle import gpu_release
from portal.workloads.models import Allocation, Idleness, Workload
from portal.workloads.state import lifecycle
from portal.workloads.state.budget_check import BudgetCheck
from portal.workloads.state.locked_rows import LockedWorkload
from portal.workloads.state.owner_check import OwnerCheck
from portal.workloads.state.placement_recheck import (
    BatchPools,
    PlacementRecheck,
    RankCost,
)
from portal.workloads.state.reserved_check import ReservedCheck
from portal.workloads.state.transitions import limit_attempts, record_note
from portal.workloads.system_actors import SCHEDULER_ACTOR
from scheduler.core.model.entities import NodeId, Placement
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION, WorkloadState

GpuState = Idleness.GpuState

_RELEASED_CAUSES = {
    "kernels": "idle_kernels_ended",
    "kernels_no_memory": "idle_kernels_ended_no_memory",
}
"""The ways in which a node has released GPUs at the price of kernels (`nodeagent.idle.gpu_release`)."""


def can_release_gpus(workload: Workload, row: Idleness) -> bool:
    """Return whether a notebook has GPUs that it can release."""
    has_gpus = bool(workload.gpus or workload.slices or workload.gpu_milli)
    return has_gpus and row.gpu_state == GpuState.HELD and not row.not_released_detail


def start_gpu_release(
    workload: Workload, row: Idleness, params: Mapping[str, int | str], *, actor: Actor
) -> None:
    """Request that the node of a locked notebook takes it off its GPUs."""
    _set_gpu_state(row, GpuState.RELEASING)
    record_note([workload], cause="idle_gpus_releasing", params=params, actor=actor)
    wake_nodes(_live_allocations(workload).values_list("node", flat=True))


def apply_gpu_report(
    workload: Workload,
    allocation: Allocation,
    row: Idleness,
    reported: str,
    detail: str,
    *,
    actor: Actor,
) -> None:
    """Move the GPU state of a locked notebook by the report of its node.

    `reported` is the node's `held`, `away` or `kept`, and `detail` its explanation.
    """
    match row.gpu_state, reported:
        case (GpuState.RELEASING, "away"):
            gpu_release.release_gpus(workload, allocation)
            row.gpus_released_at = now()
            _set_gpu_state(row, GpuState.RELEASED)
            cause = _RELEASED_CAUSES.get(detail, "idle_gpus_released")
            record_note([workload], cause=cause, params={"way": detail[:40]}, actor=actor)
        case (GpuState.RELEASING, "kept"):
            row.not_released_detail = detail[:200]
            _set_gpu_state(row, GpuState.HELD)
            record_note(
                [workload],
                cause="idle_gpus_not_released",
                params={"detail": detail[:200]},
                actor=actor,
            )
        case (GpuState.RESTORING, "held"):
            waited = now() - (row.gpus_released_at or now())
            params: dict[str, int | str] = {
                "away_min": int(waited.total_seconds()) // 60,
                "detail": detail[:200],
            }
            row.gpus_released_at = None
            _set_gpu_state(row, GpuState.HELD)
            record_note([workload], cause="idle_gpus_restored", params=params, actor=actor)
        case _:
            pass


def request_gpus(row: Idleness, *, actor: Actor) -> None:
    """Return its GPUs to a locked notebook: at once if it still has them, otherwise by the queue."""
    if row.gpu_state == GpuState.RELEASING:
        _set_gpu_state(row, GpuState.HELD)
        record_note([row.workload], cause="idle_gpus_stay", params={}, actor=actor)
        wake_nodes(_live_allocations(row.workload).values_list("node", flat=True))
    elif row.gpu_state == GpuState.RELEASED:
        row.gpu_request = new_id()
        _set_gpu_state(row, GpuState.REQUESTED)
        record_note([row.workload], cause="idle_gpus_requested", params={}, actor=actor)
        wake_scheduler()


@transaction.atomic
def commit_gpu_return(start: PlannedStart) -> None:
    """Give a parked notebook the GPUs that the plan has chosen, on the node where it runs.

    Raises:
        PlacementRefusedError: something has changed since the snapshot; nothing was written.
    """
    found = Idleness.objects.filter(gpu_request=start.workload).values_list("pk", flat=True).first()
    if found is None:
        raise PlacementRefusedError("changed_meanwhile", state="")
    owners = OwnerCheck((found,))
    workload = lifecycle.lock_workload(found)
    share_users((workload.owner_id,))
    row = Idleness.objects.get(pk=found)
    is_same = row.gpu_state == GpuState.REQUESTED and row.epoch == workload.epoch
    if not is_same or workload.state != WorkloadState.RUNNING or workload.version != start.version:
        raise PlacementRefusedError("changed_meanwhile", state=workload.state)
    (locked,) = LockedWorkload.read(Workload.objects.filter(pk=found))
    owners.read((locked,))
    owners.require(locked)
    gpus_only = locked._replace(request=replace(locked.request, cpu_milli=0, memory_mib=0))
    pools = BatchPools()
    pool_id = workload.pool_id
    nothing = RankCost(Resources(), {})
    reservations = QuotaReservations([gpu_release.build_quota_use(workload, pool_id, nothing)])
    budgets = BudgetCheck((gpus_only,))
    allocation = _live_allocations(workload).get()
    placements = _placement_on_own_cards(allocation, start.placements)
    recheck = PlacementRecheck(placements, pools)
    (cost,) = recheck.rank_costs(gpus_only, placements)
    use = gpu_release.build_quota_use(workload, pool_id, cost)
    reason = reservations.find_refusal(use) or budgets.find_refusal(gpus_only)
    if reason is not None:
        raise PlacementRefusedError(reason.code.value, **reason.params)
    place = replace(start, placements=placements)
    ends_at = ReservedCheck(placements).must_end_at(gpus_only, place)
    if ends_at is not None:
        limit_attempts([workload.pk], ends_at)
    (grant,) = recheck.grant_ranks(gpus_only, placements)
    reservations.reserve(use)
    reservations.write()
    gpu_release.restore_gpus(allocation, gpus_only, grant, cost)
    row.gpu_request = None
    _set_gpu_state(row, GpuState.RESTORING)
    record_note([workload], cause="idle_gpus_restoring", params={}, actor=SCHEDULER_ACTOR)


def _placement_on_own_cards(
    allocation: Allocation, chosen: Sequence[Placement]
) -> tuple[Placement, ...]:
    """Return the same cards that it had, where its container cannot be given others.

    A running container cannot get another device. Only simulated cards, and the runtime without
    containers, continue with any that is free.
    """
    if not idleness.needs_same_cards(allocation):
        return tuple(chosen)
    return (Placement(NodeId(str(allocation.node_id)), idleness.last_released_devices(allocation)),)


def _live_allocations(workload: Workload) -> QuerySet[Allocation]:
    return workload.allocations.filter(state__in=LIVE_ALLOCATION, epoch=workload.epoch)


def _set_gpu_state(row: Idleness, state: GpuState) -> None:
    row.gpu_state, row.gpu_state_since = state, now()
    row.save(
        update_fields=[
            *("gpu_state", "gpu_state_since", "gpus_released_at", "gpu_request"),
            "not_released_detail",
        ]
    )
