"""Let work that its own pool has no room for start as a guest of another one."""

from collections.abc import Iterable

from scheduler.core.actions.allocate import allocate_waiting
from scheduler.core.actions.lending import find_lenders, place_with_lender
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, Placement, PoolId, Request
from scheduler.core.model.plan import PlannedStart


def borrow_capacity(
    queue: Iterable[PendingWorkload], ledger: Ledger, now: Millis
) -> tuple[PlannedStart, ...]:
    """Place in other pools what the queue has left, once every pool has served its own work.

    Work for which room was kept at home and that starts elsewhere gives that room back: the rest
    of the queue is admitted anew, and what is blocked then may borrow in its turn.
    """
    if not any(True for pool in ledger.pools.values() if _takes_borrowers(pool.id, ledger)):
        return ()
    left = [workload for workload in queue if workload.id in ledger.pending]
    places: list[PlannedStart] = []
    while started := _start_borrowers(left, ledger, now):
        places += started
        left = [workload for workload in left if workload.id in ledger.pending]
        if all(kept.id in ledger.pending for kept in ledger.first_blocked.values()):
            break
        ledger.drop_reservations()
        places += allocate_waiting(left, ledger)
        left = [workload for workload in left if workload.id in ledger.pending]
    return tuple(places)


def _start_borrowers(
    left: Iterable[PendingWorkload], ledger: Ledger, now: Millis
) -> tuple[PlannedStart, ...]:
    """Start, in queue order, what may borrow and fits; a shape that did not fit is not retried."""
    places = []
    blocked: set[tuple[PoolId, Request]] = set()
    for workload in left:
        shape = (workload.pool, workload.request)
        if shape in blocked or not workload.preemptible or not _may_borrow(workload, ledger):
            continue
        placements = _place_with_lender(workload, ledger, now)
        if placements is None:
            blocked.add(shape)
            continue
        ledger.allocate(workload, placements)
        places.append(PlannedStart(workload.id, workload.version, placements))
    return tuple(places)


def _place_with_lender(
    workload: PendingWorkload, ledger: Ledger, now: Millis
) -> tuple[Placement, ...] | None:
    for host in find_lenders(workload, ledger):
        if placements := place_with_lender(workload, host, ledger, now):
            return placements
    return None


def _may_borrow(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether nothing but room keeps it; the quota of the first in line stays its own."""
    if workload.held or not ledger.pools[workload.pool].is_open:
        return False
    first = ledger.first_blocked.get(workload.pool)
    beside = None if first is None or first.id == workload.id else first
    return not ledger.quotas.refusals(workload, beside=beside, abroad=True)


def _takes_borrowers(pool: PoolId, ledger: Ledger) -> bool:
    policy = ledger.pools[pool].policy
    return bool(policy.fall_back or policy.lending.to_pools)
