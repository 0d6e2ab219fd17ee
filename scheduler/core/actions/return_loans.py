"""What a pool has lent comes back: to its own waiting work, and at the end of a window."""

from scheduler.core.actions.lending import cards_kept, is_lent, untouched
from scheduler.core.actions.node_victims import Candidate
from scheduler.core.actions.victims import Holders, lost, may_stop
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, PoolId, RunningWorkload
from scheduler.core.model.plan import EvictionCause


def guests_in_the_way(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[Candidate, ...]:
    """Return the guests of the workload's own pool; they leave on demand, however short they ran."""
    return tuple(
        _candidate(guest, ledger, now)
        for guest in holders
        if guest.pool != workload.pool and may_stop(guest, ledger, now, protected_s=0)
    )


def restore_kept(
    holders: Holders, pool: PoolId, ledger: Ledger, now: Millis
) -> tuple[Candidate, ...]:
    """Return the guests that must leave so that the lender's kept cards are untouched again.

    By the time that a notice given now has run out: so the cards are back when the window ends.
    Guests stay on everything beyond what is kept.
    """
    policy = ledger.pools[pool].policy
    if not policy.lending.windows:
        return ()
    lent = [work for work in holders if work.pool != pool and is_lent(work, pool, ledger)]
    cards = {guest.id: _cards_in(guest, pool, ledger) for guest in lent}
    kept = cards_kept(policy, Millis(now + policy.grace_s * 1000), ledger.utc_offset_min)
    missing = sum(cards.values()) if kept is None else kept - untouched(pool, ledger)
    leaving: list[Candidate] = []
    for candidate in sorted(
        (_candidate(guest, ledger, now) for guest in lent), key=lambda candidate: candidate.rank
    ):
        if missing > 0 and may_stop(candidate.work, ledger, now, protected_s=0):
            leaving.append(candidate)
            missing -= cards[candidate.work.id]
    for candidate in tuple(reversed(leaving)):
        if missing + cards[candidate.work.id] <= 0:
            leaving.remove(candidate)
            missing += cards[candidate.work.id]
    return tuple(leaving)


def _candidate(guest: RunningWorkload, ledger: Ledger, now: Millis) -> Candidate:
    return Candidate(guest, EvictionCause.CALLED_BACK, lost(guest, ledger, now))


def _cards_in(guest: RunningWorkload, pool: PoolId, ledger: Ledger) -> int:
    """Count the pool's cards that the guest holds."""
    return len(
        {
            card
            for placement in guest.placements
            if ledger.pool_of.get(placement.node) == pool
            for card, _ in placement.devices
        }
    )
