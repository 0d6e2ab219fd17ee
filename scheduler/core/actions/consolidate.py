"""Move work together, where a pool's policy allows it, so that a whole place comes free.

Nothing is taken from anybody: a plan counts only if everything that is moved fits elsewhere beside
the workload that it is moved for.
"""

from collections.abc import Iterable

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import (
    Holders,
    find_victim_sets,
    gpu_milli_of,
    is_eligible,
    is_evictable,
    lost_gpu_milli_s,
)
from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, RunningWorkload
from scheduler.core.model.plan import EvictionCause


def find_consolidation(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[EvictionCandidate, ...]:
    """Return the work that moves so that the workload starts; empty if no such plan is found."""
    policy = ledger.pools[workload.pool].policy
    if not policy.consolidate:
        return ()
    movable = [
        EvictionCandidate(work, EvictionCause.CONSOLIDATED, lost_gpu_milli_s(work, ledger, now))
        for work in holders
        if work.pool == workload.pool and is_evictable(work, ledger, now, policy.min_runtime_s)
    ]
    for victims in find_victim_sets(workload, movable, ledger):
        if len(victims) <= policy.victims_max and _all_fit_elsewhere(workload, victims, ledger):
            return victims
    return ()


def _all_fit_elsewhere(
    workload: PendingWorkload, victims: Iterable[EvictionCandidate], ledger: Ledger
) -> bool:
    """Tell whether the workload and all victims, biggest first, fit together."""
    mark = ledger.mark()
    moving = [ledger.release(candidate.work.id) for candidate in victims]
    moving.sort(key=lambda work: (-gpu_milli_of(work, ledger), work.id))
    fits = all(_place(item, ledger) for item in (workload, *map(_as_pending, moving)))
    ledger.undo(mark)
    return fits


def _place(workload: PendingWorkload, ledger: Ledger) -> bool:
    if not is_eligible(workload, ledger):
        return False
    yard = ledger.unreserved[workload.pool].matrix
    placements = place_gang(workload.request, yard, workload.avoid)
    if placements:
        ledger.allocate(workload, placements)
    return placements is not None


def _as_pending(work: RunningWorkload) -> PendingWorkload:
    """Return running work as what it would ask for if it waited."""
    return PendingWorkload(
        id=work.id,
        pool=work.pool,
        group=work.group,
        user=work.user,
        kind=work.kind,
        priority=work.priority,
        submitted_at=work.submitted_at,
        request=work.request,
        version=work.version,
        time_limit_s=work.time_limit_s,
        preemptible=work.preemptible,
    )
