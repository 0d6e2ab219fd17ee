"""Move work together, where a pool's policy allows it, so that a whole place comes free.

Nothing is taken from anybody: a plan counts only if everything that is moved fits elsewhere beside
the workload that it is moved for.
"""

from collections.abc import Iterable

from scheduler.core.actions.node_victims import Candidate
from scheduler.core.actions.victims import Holders, cards_of, lost, may_start, may_stop, victim_sets
from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, RunningWorkload
from scheduler.core.model.plan import EvictionCause


def consolidation(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[Candidate, ...]:
    """Return the work that moves so that the workload starts; empty if no such plan is found."""
    policy = ledger.pools[workload.pool].policy
    if not policy.consolidate:
        return ()
    movable = [
        Candidate(work, EvictionCause.CONSOLIDATED, lost(work, ledger, now))
        for work in holders
        if work.pool == workload.pool and may_stop(work, ledger, now, policy.min_runtime_s)
    ]
    for victims in victim_sets(workload, movable, ledger):
        if len(victims) <= policy.victims_max and _all_go_on(workload, victims, ledger):
            return victims
    return ()


def _all_go_on(workload: PendingWorkload, victims: Iterable[Candidate], ledger: Ledger) -> bool:
    """Tell whether the workload and all victims, biggest first, fit together."""
    mark = ledger.mark()
    moving = [ledger.end(candidate.work.id) for candidate in victims]
    moving.sort(key=lambda work: (-cards_of(work, ledger), work.id))
    fits = all(_place(item, ledger) for item in (workload, *map(_waiting_again, moving)))
    ledger.undo(mark)
    return fits


def _place(workload: PendingWorkload, ledger: Ledger) -> bool:
    if not may_start(workload, ledger):
        return False
    yard = ledger.open[workload.pool].yard
    placements = place_gang(workload.request, yard, workload.avoid)
    if placements:
        ledger.place(workload, placements)
    return placements is not None


def _waiting_again(work: RunningWorkload) -> PendingWorkload:
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
