"""Start promised: work with a reserved start begins on its devices as soon as they are free.

In the order in which the starts were promised. What it could start on elsewhere it gets in the order of
the queue, like all other work (`allocate.py`).
"""

from collections.abc import Iterator

from scheduler.core.actions.lending import find_lenders, may_borrow, place_with_lender
from scheduler.core.capacity.gang import place_gang
from scheduler.core.capacity.node_capacity import free_devices
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, Placement
from scheduler.core.model.plan import PlannedStart
from scheduler.core.reservation.cleared import is_void
from scheduler.core.reservation.reservations import backfill_until
from scheduler.core.timeline.reserved_starts import Reservation


def start_promised(ledger: Ledger) -> Iterator[PlannedStart]:
    """Start what has its devices now; drop what was cleared and cannot be used for that after all."""
    for reservation in tuple(ledger.starts):
        workload = reservation.workload
        if workload.id not in ledger.pending:
            continue
        if _has_its_devices(reservation, ledger) and (
            placements := start_reserved(reservation, ledger)
        ):
            yield PlannedStart(workload.id, workload.version, placements)
        elif reservation.is_cleared and is_void(reservation, ledger):
            ledger.starts.remove(reservation)


def start_reserved(reservation: Reservation, ledger: Ledger) -> tuple[Placement, ...] | None:
    """Start work with a reserved start beside what is reserved for all others; return where, or None."""
    mark = ledger.mark()
    ledger.starts.remove(reservation)
    placements = _place(reservation.workload, reservation, ledger)
    if placements is None:
        ledger.undo(mark)
    else:
        ledger.allocate(reservation.workload, placements)
    return placements


def can_backfill(workload: PendingWorkload, until: Millis | None, ledger: Ledger) -> bool:
    """Return whether the work has certainly left by then."""
    return until is None or ledger.has_left_by(until, workload)


def _has_its_devices(reservation: Reservation, ledger: Ledger) -> bool:
    """Return whether every device that it will use is free."""
    for node, _ in reservation.start.nodes:
        pool = ledger.pool_of.get(node)
        if pool is None:
            return False
        mine = [(card, slot) for at, card, slot in reservation.start.pinned or () if at == node]
        free = ledger.starts.capacities(pool)[node]
        if len(free_devices(mine, free)) < len(mine):
            return False
    return True


def _place(
    workload: PendingWorkload, reservation: Reservation, ledger: Ledger
) -> tuple[Placement, ...] | None:
    if not ledger.refusals(workload) and (request := ledger.narrow(workload)) is not None:
        backfills = can_backfill(workload, backfill_until(workload.pool, ledger), ledger)
        view = ledger.capacity_for(workload, workload.pool, backfills=backfills)
        if found := place_gang(request, view.matrix, workload.avoid, workload.contents):
            return found
    if reservation.is_cleared and may_borrow(workload, ledger):
        for lender in find_lenders(workload, ledger):
            if found := place_with_lender(workload, lender, ledger):
                return found
    return None
