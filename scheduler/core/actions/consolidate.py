"""Consolidate: move preemptible work together, where a pool's policy allows it, to free whole nodes.

No work loses its place: a plan counts only if everything that is moved fits elsewhere, beside the
workload that it is moved for (as KAI's `consolidation` action).
"""

from collections.abc import Iterable

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import (
    Holders,
    find_unreserved,
    find_victim_sets,
    is_eligible,
    is_evictable,
    make_candidate,
)
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, RunningWorkload
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.request_cost import total_gpu_milli


def find_consolidation(
    workload: PendingWorkload, holders: Holders, ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Return the work to move so that the workload starts; empty if no such plan is found."""
    policy = ledger.pools[workload.pool].policy
    if not policy.consolidate:
        return ()
    movable = [
        make_candidate(work, EvictionCause.CONSOLIDATED, ledger)
        for work in holders
        if work.pool == workload.pool and is_evictable(work, ledger, policy.min_runtime_s)
    ]
    for victims in find_victim_sets(workload, movable, ledger):
        if len(victims) <= policy.victims_max and _all_fit_elsewhere(workload, victims, ledger):
            return victims
    return ()


def _all_fit_elsewhere(
    workload: PendingWorkload, victims: Iterable[EvictionCandidate], ledger: Ledger
) -> bool:
    """Return whether the workload and all victims, largest first, fit together."""
    mark = ledger.mark()
    moving = [ledger.release(candidate.work.id) for candidate in victims]
    moving.sort(key=lambda work: (-total_gpu_milli(work, ledger.pools[work.pool]), work.id))
    fits = all(_place(item, ledger) for item in (workload, *map(_as_pending, moving)))
    ledger.undo(mark)
    return fits


def _place(workload: PendingWorkload, ledger: Ledger) -> bool:
    if not is_eligible(workload, ledger):
        return False
    placements = find_unreserved(workload, ledger)
    if placements:
        ledger.allocate(workload, placements)
    return placements is not None


def _as_pending(work: RunningWorkload) -> PendingWorkload:
    """Return running work as it would wait if it had been evicted."""
    return PendingWorkload(
        id=work.id,
        pool=work.pool,
        group=work.group,
        user=work.user,
        priority=work.priority,
        submitted_at=work.submitted_at,
        request=work.request,
        version=work.version,
        time_limit_s=None if work.is_open_ended else work.time_limit_s,
        preemptible=work.preemptible,
        traits=work.traits,
    )
