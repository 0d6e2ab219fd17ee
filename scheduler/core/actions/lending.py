"""Which other pools a workload may use now, and how much of them.

Only preemptible work leaves its own pool, because the owners may call their cards back at any
moment; environments stay at home. Two doors are open to it, in this order:

* the pools that its own pool names to fall back to: whatever is open there, like work of that pool;
* the pools that lend to its own pool: untouched cards only, each as a whole, and by the lender's
  calendar. Inside its windows that is everything that nobody uses; outside them `keep_gpus` stay.

A pool of which own work waits for room gives nothing away.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.calendar import is_in_window
from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    Placement,
    PoolId,
    RunningWorkload,
)
from scheduler.core.model.policy import PoolPolicy


@dataclass(frozen=True, slots=True)
class Lender:
    """A pool that takes guests."""

    pool: PoolId
    by_calendar: bool
    """By its calendar and in whole cards; otherwise it is one to fall back to."""


def find_lenders(workload: PendingWorkload, ledger: Ledger) -> Iterator[Lender]:
    """Yield the pools beside its own that the workload may try, in order."""
    if not workload.preemptible or workload.kind == "environment":
        return
    named = tuple(PoolId(name) for name in ledger.pools[workload.pool].policy.fall_back)
    yield from (Lender(pool, by_calendar=False) for pool in named if pool in ledger.pools)
    for pool in sorted(ledger.pools):
        lending = ledger.pools[pool].policy.lending
        if workload.pool in lending.to_pools and pool not in {workload.pool, *named}:
            yield Lender(pool, by_calendar=True)


def place_with_lender(
    workload: PendingWorkload, host: Lender, ledger: Ledger, now: Millis
) -> tuple[Placement, ...] | None:
    """Return the placements of the whole workload in that pool, or None if it may not or cannot."""
    if not ledger.pools[host.pool].is_open or host.pool in ledger.first_blocked:
        return None
    rooms = ledger.unreserved[host.pool]
    if not host.by_calendar:
        return place_gang(workload.request, rooms.matrix, workload.avoid)
    cards = workload.request.gpus * workload.request.replicas
    if cards == 0 or cards > count_lendable_gpus(host.pool, ledger, now):
        return None
    return place_gang(workload.request, rooms.lending_matrix, workload.avoid)


def count_lendable_gpus(pool: PoolId, ledger: Ledger, now: Millis) -> int:
    """Return how many more untouched cards the pool lends at this moment.

    Shortly before a window ends it lends as after it: what would have to come back before it has
    run for `min_runtime_s` is not given away.
    """
    policy = ledger.pools[pool].policy
    soon = Millis(now + max(policy.min_runtime_s, policy.grace_s) * 1000)
    kept = [gpus_to_keep(policy, moment, ledger.utc_offset_min) for moment in (now, soon)]
    if None in kept:
        return 0
    return max(
        count_untouched_gpus(pool, ledger) - max(cards for cards in kept if cards is not None), 0
    )


def gpus_to_keep(policy: PoolPolicy, now: Millis, utc_offset_min: int) -> int | None:
    """Return how many untouched cards stay for the pool's own work; None lends nothing at all."""
    lending = policy.lending
    if is_in_window(lending.windows, now, utc_offset_min):
        return 0
    return lending.keep_gpus if lending.by_day else None


def count_untouched_gpus(pool: PoolId, ledger: Ledger) -> int:
    """Count the open cards of the pool that nobody holds any part of."""
    rooms = ledger.unreserved[pool].values()
    return sum(card.is_untouched for room in rooms for card in room.cards)


def is_lent_by_calendar(guest: RunningWorkload, pool: PoolId, ledger: Ledger) -> bool:
    """Tell whether a guest is there by the calendar, not because it may fall back to the pool."""
    return pool not in ledger.pools[guest.pool].policy.fall_back
