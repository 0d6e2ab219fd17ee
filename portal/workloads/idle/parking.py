"""Cards that an idle notebook gives up while it lives on, and gets again through the queue.

Held → leaving (its node is told) → away (its node has proven it: only now the cards are free) →
asked (it waits in the queue like any other work, for its own node) → returning → held. The states
are those of `Idleness.GpuState`; the allocation keeps node, epoch, processors and memory throughout.
docs/adr/0025.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.ids import new_id
from portal.common.notifications import wake_nodes, wake_scheduler
from portal.quotas.services import QuotaReservations
from portal.workloads import idleness
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.idle import gpu_release
from portal.workloads.models import Allocation, Idleness, Workload
from portal.workloads.state import lifecycle
from portal.workloads.state.budget_check import BudgetCheck
from portal.workloads.state.placement_recheck import BatchPools, LockedWorkload, PlacementRecheck
from portal.workloads.state.transitions import record_note
from scheduler.core.model.entities import NodeId, Placement
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION, WorkloadState

GpuState = Idleness.GpuState
SCHEDULER_ACTOR: Final = Actor.system("scheduler")


def can_release_gpus(workload: Workload, row: Idleness) -> bool:
    """Tell whether a notebook has cards that it could give up."""
    has_cards = bool(workload.gpus or workload.slices or workload.gpu_milli)
    return has_cards and row.gpu_state == GpuState.HELD and not row.not_released_detail


def start_gpu_release(
    workload: Workload, row: Idleness, params: Mapping[str, int | str], *, actor: Actor
) -> None:
    """Ask the node of a locked notebook to take it off its cards."""
    _set_gpu_state(row, GpuState.RELEASING)
    record_note([workload], cause="idle_gpus_releasing", params=params, actor=actor)
    wake_nodes(_live_allocations(workload).values_list("node", flat=True))


def apply_gpu_report(
    workload: Workload,
    allocation: Allocation,
    row: Idleness,
    word: str,
    words: str,
    *,
    actor: Actor,
) -> None:
    """Bring a locked notebook to where its node says that its cards are."""
    match row.gpu_state, word:
        case (GpuState.RELEASING, "away"):
            gpu_release.release_gpus(workload, allocation)
            row.gpus_released_at = now()
            _set_gpu_state(row, GpuState.RELEASED)
            record_note(
                [workload], cause="idle_gpus_released", params={"way": words[:40]}, actor=actor
            )
        case (GpuState.RELEASING, "kept"):
            row.not_released_detail = words[:200]
            _set_gpu_state(row, GpuState.HELD)
            record_note(
                [workload],
                cause="idle_gpus_not_released",
                params={"detail": words[:200]},
                actor=actor,
            )
        case (GpuState.RESTORING, "held"):
            waited = now() - (row.gpus_released_at or now())
            params: dict[str, int | str] = {
                "away_min": int(waited.total_seconds()) // 60,
                "detail": words[:200],
            }
            row.gpus_released_at = None
            _set_gpu_state(row, GpuState.HELD)
            record_note([workload], cause="idle_gpus_restored", params=params, actor=actor)
        case _:
            pass


def request_gpus(row: Idleness, *, actor: Actor) -> None:
    """Let a locked notebook have its cards again: at once if they are not gone, else by the queue."""
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
def commit_gpu_return(place: PlannedStart) -> None:
    """Give a notebook the cards that the scheduler chose for it, where it is.

    Everything is checked again under locks; `PlacementRefusedError` means that nothing was written.
    """
    found = Idleness.objects.filter(gpu_request=place.workload).values_list("pk", flat=True).first()
    if found is None:
        raise PlacementRefusedError("changed_meanwhile", state="")
    workload = lifecycle.lock_workload(found)
    row = Idleness.objects.get(pk=found)
    is_same = row.gpu_state == GpuState.REQUESTED and row.epoch == workload.epoch
    if not is_same or workload.state != WorkloadState.RUNNING or workload.version != place.version:
        raise PlacementRefusedError("changed_meanwhile", state=workload.state)
    columns = Workload.objects.filter(pk=found).values_list(*LockedWorkload._fields).get()
    candidate = LockedWorkload(*columns)._replace(cpu_milli=0, memory_mib=0)
    pools = BatchPools()
    pool_id = workload.pool_id
    reservations = QuotaReservations([gpu_release.build_quota_use(workload, pool_id, Resources())])
    budgets = BudgetCheck((candidate,))
    allocation = _live_allocations(workload).get()
    placements = _placement_on_own_cards(allocation, place.placements)
    recheck = PlacementRecheck(placements, pools)
    (cost,) = recheck.rank_costs(candidate, placements)
    use = gpu_release.build_quota_use(workload, pool_id, cost)
    reason = reservations.find_refusal(use) or budgets.find_refusal(candidate)
    if reason is not None:
        raise PlacementRefusedError(reason.code.value, **reason.params)
    (claim,) = recheck.grant_ranks(candidate, placements)
    reservations.reserve(use)
    reservations.write()
    gpu_release.restore_gpus(allocation, candidate, claim, cost)
    row.gpu_request = None
    _set_gpu_state(row, GpuState.RESTORING)
    record_note([workload], cause="idle_gpus_restoring", params={}, actor=SCHEDULER_ACTOR)


def _placement_on_own_cards(
    allocation: Allocation, chosen: Sequence[Placement]
) -> tuple[Placement, ...]:
    """Return the very cards that it had, where its container knows no others.

    Nobody can hand a living container another card. Only a card on paper, or a process that is in
    no container at all, goes on with whichever is free.
    """
    if not idleness.needs_same_cards(allocation):
        return tuple(chosen)
    return (Placement(NodeId(str(allocation.node_id)), idleness.last_released_devices(allocation)),)


def _live_allocations(workload: Workload) -> QuerySet[Allocation]:
    return workload.allocations.filter(state__in=LIVE_ALLOCATION, epoch=workload.epoch)


def _set_gpu_state(row: Idleness, cards: GpuState) -> None:
    row.gpu_state, row.gpu_state_since = cards, now()
    row.save(
        update_fields=[
            *("gpu_state", "gpu_state_since", "gpus_released_at", "gpu_request"),
            "not_released_detail",
        ]
    )
