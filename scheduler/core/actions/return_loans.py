"""What a pool has lent comes back: to its own waiting work, and at the end of a window."""

from scheduler.core.actions.lending import count_untouched_gpus, gpus_to_keep, is_lent_by_calendar
from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable, lost_gpu_milli_s
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, PoolId, RunningWorkload
from scheduler.core.model.plan import EvictionCause


def find_borrowers(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[EvictionCandidate, ...]:
    """Return the guests of the workload's own pool; they leave on demand, however short they ran."""
    return tuple(
        _candidate(guest, ledger, now)
        for guest in holders
        if guest.pool != workload.pool and is_evictable(guest, ledger, now, protected_s=0)
    )


def find_overdue_borrowers(
    holders: Holders, pool: PoolId, ledger: Ledger, now: Millis
) -> tuple[EvictionCandidate, ...]:
    """Return the guests that must leave so that the lender's kept cards are untouched again.

    By the time that a notice given now has run out: so the cards are back when the window ends.
    Guests stay on everything beyond what is kept.
    """
    policy = ledger.pools[pool].policy
    if not policy.lending.windows:
        return ()
    lent = [
        work for work in holders if work.pool != pool and is_lent_by_calendar(work, pool, ledger)
    ]
    cards = {guest.id: _gpus_held_in(guest, pool, ledger) for guest in lent}
    kept = gpus_to_keep(policy, Millis(now + policy.grace_s * 1000), ledger.utc_offset_min)
    missing = sum(cards.values()) if kept is None else kept - count_untouched_gpus(pool, ledger)
    leaving: list[EvictionCandidate] = []
    for candidate in sorted(
        (_candidate(guest, ledger, now) for guest in lent), key=lambda candidate: candidate.rank
    ):
        if missing > 0 and is_evictable(candidate.work, ledger, now, protected_s=0):
            leaving.append(candidate)
            missing -= cards[candidate.work.id]
    for candidate in tuple(reversed(leaving)):
        if missing + cards[candidate.work.id] <= 0:
            leaving.remove(candidate)
            missing += cards[candidate.work.id]
    return tuple(leaving)


def _candidate(guest: RunningWorkload, ledger: Ledger, now: Millis) -> EvictionCandidate:
    return EvictionCandidate(guest, EvictionCause.CALLED_BACK, lost_gpu_milli_s(guest, ledger, now))


def _gpus_held_in(guest: RunningWorkload, pool: PoolId, ledger: Ledger) -> int:
    """Count the pool's cards that the guest holds."""
    return len(
        {
            card
            for placement in guest.placements
            if ledger.pool_of.get(placement.node) == pool
            for card, _ in placement.devices
        }
    )
