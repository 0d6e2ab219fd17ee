"""Which other pools a workload may borrow from now, and how much of them.

Only preemptible work leaves its own pool, because the owning pool may reclaim its cards at any
moment; what may not borrow stays in its own pool. Two kinds of pools are tried, in this order:

* the pools that its own pool names to fall back to: whatever is unreserved there, like work of
  that pool;
* the pools that lend to its own pool: untouched cards only, each as a whole, and by the lender's
  calendar. Inside its windows that is everything unused; outside them `keep_gpus` stay.

A pool in which own work is blocked lends nothing. Compare Kueue's cohorts (`borrowingLimit`,
`lendingLimit`, `reclaimWithinCohort`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from scheduler.core.capacity.gang import place_gang
from scheduler.core.capacity.views import CapacityView
from scheduler.core.ledger import Ledger
from scheduler.core.model.calendar import is_in_window, next_window_change
from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    Placement,
    PoolId,
    RunningWorkload,
)
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.site_clock import SiteClock


@dataclass(frozen=True, slots=True)
class Lender:
    """A pool from which a workload may borrow."""

    pool: PoolId
    by_calendar: bool
    """Lends whole untouched cards, by its calendar; otherwise it is a pool to fall back to."""


def find_lenders(workload: PendingWorkload, ledger: Ledger) -> Iterator[Lender]:
    """Yield the pools beside its own that the workload may try, in order."""
    if not workload.preemptible or not workload.traits.may_borrow:
        return
    named = tuple(PoolId(name) for name in ledger.pools[workload.pool].policy.fall_back)
    yield from (Lender(pool, by_calendar=False) for pool in named if pool in ledger.pools)
    for pool in sorted(ledger.pools):
        lending = ledger.pools[pool].policy.lending
        if workload.pool in lending.to_pools and pool not in {workload.pool, *named}:
            yield Lender(pool, by_calendar=True)


def place_with_lender(
    workload: PendingWorkload, lender: Lender, ledger: Ledger
) -> tuple[Placement, ...] | None:
    """Return the placements of the whole workload in that pool, or None if it may not or cannot."""
    if not ledger.pools[lender.pool].is_open or lender.pool in ledger.starts.first_blocked:
        return None
    request = ledger.narrow(workload)
    if request is None:
        return None
    view = ledger.capacity_for(workload, lender.pool)
    if not lender.by_calendar:
        return place_gang(request, view.matrix, workload.avoid, workload.contents)
    gpus = request.gpus * request.replicas
    if gpus == 0 or gpus > count_lendable_gpus(lender.pool, view, ledger):
        return None
    return place_gang(request, view.lending_matrix, workload.avoid, workload.contents)


def fits_with_lender(workload: PendingWorkload, ledger: Ledger, lender: Lender) -> bool:
    """Return whether it could start in that pool, on the ledger as it is."""
    return may_borrow(workload, ledger) and place_with_lender(workload, lender, ledger) is not None


def may_borrow(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Return whether only capacity keeps it from starting; what is promised keeps its quota."""
    if workload.held or not ledger.pools[workload.pool].is_open:
        return False
    return not ledger.refusals(workload, borrowed=True)


def count_lendable_gpus(pool: PoolId, view: CapacityView, ledger: Ledger) -> int:
    """Return how many more untouched cards the pool lends at this moment, of those in a view of it.

    Shortly before a window ends the pool lends as after it: what would be given notice before it has
    run for `min_runtime_s` is not lent.
    """
    policy = ledger.pools[pool].policy
    soon = Millis(called_back_for(policy, ledger.now) + policy.min_runtime_s * 1000)
    most_kept = most_to_keep(policy, ledger.now, soon, ledger.clock)
    return 0 if most_kept is None else max(count_untouched_gpus(view) - most_kept, 0)


def called_back_for(policy: PoolPolicy, now: Millis) -> Millis:
    """Return for which moment borrowers are given notice now: they are gone by then."""
    return Millis(now + policy.grace_s * 1000)


def most_to_keep(policy: PoolPolicy, since: Millis, until: Millis, clock: SiteClock) -> int | None:
    """Return the most that `gpus_to_keep` says before `until`; None if it is None once."""
    most, at = 0, since
    while True:
        kept = gpus_to_keep(policy, at, clock)
        if kept is None:
            return None
        most = max(most, kept)
        changes_at = next_window_change(policy.lending.windows, at, clock)
        if changes_at is None or changes_at >= until:
            return most
        at = changes_at


def gpus_to_keep(policy: PoolPolicy, at: Millis, clock: SiteClock) -> int | None:
    """Return how many untouched cards stay for the pool's own work; None lends nothing at all."""
    lending = policy.lending
    if is_in_window(lending.windows, at, clock):
        return 0
    return lending.keep_gpus if lending.by_day else None


def count_untouched_gpus(view: CapacityView) -> int:
    """Return how many cards of a view are free as a whole."""
    return sum(card.is_untouched for node in view.values() for card in node.cards)


def is_lent_by_calendar(borrower: RunningWorkload, pool: PoolId, ledger: Ledger) -> bool:
    """Return whether it is there by the pool's calendar, not because it may fall back to it."""
    return pool not in ledger.pools[borrower.pool].policy.fall_back
