"""Borrow: start work that does not fit into its own pool on the cards of another pool."""

from collections.abc import Iterable, Iterator, Sequence

from scheduler.core.actions.allocate import allocate_waiting
from scheduler.core.actions.lending import find_lenders, may_borrow, place_with_lender
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, Placement, PoolId, Request
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.work_traits import WorkTraits
from scheduler.core.ordering.work_classes import ClassedQueue


def borrow_capacity(queue: Sequence[PendingWorkload], ledger: Ledger) -> Iterator[PlannedStart]:
    """Start with lenders what still waits, once every pool has served its own work.

    A workload with a reservation at home that starts elsewhere no longer needs it. Then all
    reservations are dropped, the rest of the queue is allocated again, and what is blocked after
    that may borrow too.
    """
    if not any(_takes_borrowers(pool, ledger) for pool in ledger.pools):
        return
    waiting = [workload for workload in queue if workload.id in ledger.pending]
    while True:
        reserved = {each.workload.id for each in ledger.starts}
        borrowed = _start_borrowers(waiting, ledger)
        if not borrowed:
            break
        yield from borrowed
        waiting = [workload for workload in waiting if workload.id in ledger.pending]
        borrowers = {start.workload for start in borrowed}
        if borrowers.isdisjoint(reserved):
            break
        ledger.starts.drop(only_new=True)
        yield from allocate_waiting(ClassedQueue(waiting), ledger)
        waiting = [workload for workload in waiting if workload.id in ledger.pending]


def split_off_victims(queue: ClassedQueue, ledger: Ledger) -> tuple[ClassedQueue, ...]:
    """Return the queue in two parts: last the work that was evicted for work that may yet borrow.

    At home it would take back at once the quota that it was evicted for.
    """
    works = queue.works
    last = {work.id for work in works if work.evicted_for and _may_yet_borrow(work, ledger)}
    if not last:
        return (queue,)
    parts = ([work for work in works if (work.id in last) is is_last] for is_last in (False, True))
    return tuple(map(ClassedQueue, parts))


def _may_yet_borrow(victim: PendingWorkload, ledger: Ledger) -> bool:
    beneficiary = ledger.pending.get(victim.evicted_for) if victim.evicted_for else None
    return beneficiary is not None and any(find_lenders(beneficiary, ledger))


def _start_borrowers(
    waiting: Iterable[PendingWorkload], ledger: Ledger
) -> tuple[PlannedStart, ...]:
    """Start, in queue order, what may borrow and fits; a request that did not fit is not retried."""
    starts = []
    blocked: set[tuple[PoolId, Request | None, WorkTraits]] = set()
    for workload in waiting:
        alike = (workload.pool, ledger.narrow(workload), workload.traits)
        if alike in blocked or not workload.preemptible or not may_borrow(workload, ledger):
            continue
        placements = _place_with_first_lender(workload, ledger)
        if placements is None:
            blocked.add(alike)
            continue
        ledger.allocate(workload, placements)
        starts.append(PlannedStart(workload.id, workload.version, placements))
    return tuple(starts)


def _place_with_first_lender(
    workload: PendingWorkload, ledger: Ledger
) -> tuple[Placement, ...] | None:
    for lender in find_lenders(workload, ledger):
        if placements := place_with_lender(workload, lender, ledger):
            return placements
    return None


def _takes_borrowers(pool: PoolId, ledger: Ledger) -> bool:
    """Return whether the pool lends, or lets its own work fall back to another pool."""
    policy = ledger.pools[pool].policy
    return bool(policy.fall_back or policy.lending.to_pools)
