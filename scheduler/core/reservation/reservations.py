"""Promised starts: the first blocked workloads of a pool keep exactly what they will need.

A promise is the earliest start on real nodes and devices, by the time limits of what runs. What
surely comes free until then is counted; only the rest of the need is kept from now on, and only
from work that would still run then. So nothing that the promised work will not need is ever idle,
and no promise moves back: work behind it either ends before it or uses something else.

The end of work that is just being set up, or that should have ended already, is not known. A start
that depends on it has no sure moment: nothing is let into what it keeps, which never shrinks from
one cycle to the next while the rest ends. So big work starts in the end, whatever keeps arriving.
"""

from scheduler.core.ledger import Ledger, Reservation
from scheduler.core.model.entities import Millis, PendingWorkload, PoolId
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.timeline.pool_timeline import PoolTimeline, end_after


def reserve_start(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Promise a start; return False, and keep nothing, if the pool is too small today."""
    timeline = timeline_with_reservations(workload.pool, ledger)
    start = timeline.earliest_start(workload.request, workload.avoid)
    if start is None:
        return False
    for claim in timeline.reserved_now(workload.request, start):
        ledger.withhold(claim)
    ledger.add_reservation(Reservation(workload, start))
    return True


def timeline_with_reservations(pool: PoolId, ledger: Ledger) -> PoolTimeline:
    """Return the future of a pool in which every promised start comes true at its latest."""
    timeline = PoolTimeline(ledger.free[pool], ledger.running_on, ledger.timeline_cache)
    for kept in ledger.reservations.get(pool, ()):
        until = end_after(kept.start.at, kept.workload.time_limit_s, ledger.now)
        timeline.occupy(kept.workload.request, kept.start, until)
    return timeline


def are_reservations_kept(pool: PoolId, ledger: Ledger) -> bool:
    """Tell whether every promised start of the pool still comes true, on the ledger as it is."""
    timeline = PoolTimeline(ledger.free[pool], ledger.running_on, ledger.timeline_cache)
    for kept in ledger.reservations.get(pool, ()):
        start = timeline.earliest_start(kept.workload.request, kept.workload.avoid)
        if start is None or start.at > kept.start.at:
            return False
        until = end_after(start.at, kept.workload.time_limit_s, ledger.now)
        timeline.occupy(kept.workload.request, start, until)
    return True


def backfill_until(pool: PoolId, ledger: Ledger) -> Millis | None:
    """Return until when work behind the promises may use what they keep; None without any."""
    return min(
        (kept.start.certain_at(ledger.now) for kept in ledger.reservations.get(pool, ())),
        default=None,
    )


def list_reservations(ledger: Ledger) -> tuple[PlannedReservation, ...]:
    """Return the promises as the plan shows them, by pool and place in the queue."""
    return tuple(
        PlannedReservation(
            kept.workload.id, pool, kept.start.starts_at(ledger.now), kept.start.nodes
        )
        for pool, promises in sorted(ledger.reservations.items())
        for kept in promises
    )
