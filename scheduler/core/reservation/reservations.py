"""Reservations: the first blocked workloads of a pool keep exactly what they will need.

A reservation is the earliest start on real nodes and devices, by the time limits of running work
(as in backfill: Slurm's `sched/backfill`). What certainly comes free until then is counted; only
the rest of the need is reserved from now on, and only against work that would still run then. So
nothing idles that the reserved start will not need, and no reservation moves back: work behind it
either ends before it or uses something else.

The end of work that is just being set up, or that is over its limit, is not known. A start that
depends on it has no certain time: then nothing may use what it reserves, and that part never
shrinks from one cycle to the next while the rest ends. So large work starts in the end, whatever
keeps arriving.
"""

from scheduler.core.ledger import Ledger, Reservation
from scheduler.core.model.entities import Millis, PendingWorkload, PoolId
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.timeline.pool_timeline import GangStart, PoolTimeline, end_after


def reserve_start(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Reserve a start; return False, and reserve nothing, if the pool is too small today."""
    timeline = timeline_with_reservations(workload.pool, ledger)
    start = earliest_start(workload, timeline, ledger)
    if start is None:
        return False
    for part in timeline.reserved_now(workload.request, start):
        ledger.withhold(part)
    ledger.add_reservation(Reservation(workload, start))
    return True


def earliest_start(
    workload: PendingWorkload, timeline: PoolTimeline, ledger: Ledger
) -> GangStart | None:
    """Return the earliest start in its pool that no advance reservation is in the way of."""
    stay_s = ledger.reserved.stay_s(workload, workload.pool)
    return timeline.earliest_start(workload.request, workload.avoid, stay_s)


def timeline_with_reservations(pool: PoolId, ledger: Ledger) -> PoolTimeline:
    """Return the timeline of a pool on which every reserved start happens, at its latest."""
    timeline = ledger.timeline(pool)
    for each in ledger.reservations.get(pool, ()):
        until = end_after(each.start.at, each.workload.time_limit_s, ledger.now)
        timeline.occupy(each.workload.request, each.start, until)
    return timeline


def are_reservations_kept(pool: PoolId, ledger: Ledger) -> bool:
    """Return whether every reserved start of the pool is still in time, on the ledger as it is."""
    timeline = ledger.timeline(pool)
    for each in ledger.reservations.get(pool, ()):
        start = earliest_start(each.workload, timeline, ledger)
        if start is None or start.at > each.start.at:
            return False
        until = end_after(start.at, each.workload.time_limit_s, ledger.now)
        timeline.occupy(each.workload.request, start, until)
    return True


def backfill_until(pool: PoolId, ledger: Ledger) -> Millis | None:
    """Return until when later work may use what is reserved; None without reservations."""
    return min(
        (each.start.certain_at(ledger.now) for each in ledger.reservations.get(pool, ())),
        default=None,
    )


def list_reservations(ledger: Ledger) -> tuple[PlannedReservation, ...]:
    """Return the reservations as the plan shows them, by pool and place in the queue."""
    return tuple(
        PlannedReservation(
            each.workload.id, pool, each.start.starts_at(ledger.now), each.start.nodes
        )
        for pool, reservations in sorted(ledger.reservations.items())
        for each in reservations
    )
