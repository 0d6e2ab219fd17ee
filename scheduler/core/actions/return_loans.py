"""Return loans: a lender's own waiting work reclaims lent cards, and so does the end of a window."""

from scheduler.core.actions.lending import (
    called_back_for,
    count_untouched_gpus,
    gpus_to_keep,
    is_lent_by_calendar,
)
from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable, make_candidate
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, RunningWorkload
from scheduler.core.model.plan import EvictionCause


def find_borrowers(
    workload: PendingWorkload, holders: Holders, ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Return the borrowers in the workload's own pool: they leave on demand, however short they ran."""
    return tuple(
        make_candidate(work, EvictionCause.CALLED_BACK, ledger)
        for work in holders
        if work.pool != workload.pool and is_evictable(work, ledger, protected_s=0)
    )


def find_overdue_borrowers(
    holders: Holders, pool: PoolId, ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Return the borrowers to evict so that the cards that the lender keeps are untouched again.

    The calendar is read at the time when a notice given now has run out, so the cards are back
    when the window ends. Borrowers stay on everything beyond what is kept. Where own work has taken a
    kept card, they have their protected run time first: nobody waits for what they hold.
    """
    policy = ledger.pools[pool].policy
    if not policy.lending.windows:
        return ()
    kept_now = gpus_to_keep(policy, ledger.now, ledger.clock)
    borrowers = [
        work for work in holders if work.pool != pool and is_lent_by_calendar(work, pool, ledger)
    ]
    gpus = {work.id: _count_gpus_in(work, pool, ledger) for work in borrowers}
    kept = gpus_to_keep(policy, called_back_for(policy, ledger.now), ledger.clock)
    untouched = count_untouched_gpus(ledger.unreserved[pool])
    missing = sum(gpus.values()) if kept is None else kept - untouched
    is_closing = kept is None or (kept_now is not None and kept > kept_now)
    protected_s = 0 if is_closing else policy.min_runtime_s
    leaving: list[EvictionCandidate] = []
    candidates = [make_candidate(work, EvictionCause.CALLED_BACK, ledger) for work in borrowers]
    for candidate in sorted(candidates, key=lambda candidate: candidate.rank):
        if missing > 0 and is_evictable(candidate.work, ledger, protected_s):
            leaving.append(candidate)
            missing -= gpus[candidate.work.id]
    # The last ones may have freed enough alone: spare the others again.
    for candidate in tuple(reversed(leaving)):
        if missing + gpus[candidate.work.id] <= 0:
            leaving.remove(candidate)
            missing += gpus[candidate.work.id]
    return tuple(leaving)


def _count_gpus_in(borrower: RunningWorkload, pool: PoolId, ledger: Ledger) -> int:
    """Return how many of the pool's cards the borrower holds."""
    return len(
        {
            card
            for placement in borrower.placements
            if ledger.pool_of.get(placement.node) == pool
            for card, _ in placement.devices
        }
    )
