"""Start inside: work for which an advance reservation is open starts on the reserved devices.

Nothing has to be named: what is of the reservation's group, and of its users if it names some, belongs
there. What does not fit inside waits with all other work of its pool. Work inside leaves at the end of
the window: some kinds are suspended, preemptible work is queued again, and what can be neither
starts inside only if its time limit ends with the window (Slurm does the same). Nothing starts
so late that it would soon have to leave (`capacity/notice.py`).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from scheduler.core.capacity.gang import place_gang
from scheduler.core.capacity.notice import fits_in_window
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservationId
from scheduler.core.model.entities import PendingWorkload, PoolId, Request
from scheduler.core.model.plan import PlannedStart


def start_inside(queue: Iterable[PendingWorkload], ledger: Ledger) -> tuple[PlannedStart, ...]:
    """Start, in queue order, what may start inside an open reservation, and fits."""
    open_in = _find_open(ledger)
    if not open_in:
        return ()
    starts = []
    full: set[tuple[ReservationId, Request | None]] = set()
    for workload in queue:
        for reservation in open_in.get(workload.pool, ()):
            if not _may_start(workload, reservation, ledger):
                continue
            request = ledger.narrow(workload)
            if request is None or (reservation.id, request) in full:
                continue
            view = ledger.inside(reservation)
            placements = place_gang(request, view.matrix, workload.avoid, workload.contents)
            if placements is None:
                full.add((reservation.id, request))
                continue
            ledger.allocate(workload, placements, reservation.ends_at(ledger.now))
            starts.append(PlannedStart(workload.id, workload.version, placements, reservation.id))
            break
    return tuple(starts)


def _find_open(ledger: Ledger) -> dict[PoolId, Sequence[AdvanceReservationView]]:
    found: defaultdict[PoolId, Sequence[AdvanceReservationView]] = defaultdict(list)
    for pool in ledger.pools.values() if ledger.reserved else ():
        if pool.is_open and (reservations := ledger.reserved.open_in(pool.id, ledger.now)):
            found[pool.id] = reservations
    return found


def _may_start(
    workload: PendingWorkload, reservation: AdvanceReservationView, ledger: Ledger
) -> bool:
    """Return whether the reservation is for the workload, and only a lack of devices could be in the way."""
    window = reservation.next_window(ledger.now)
    return (
        window is not None
        and not workload.held
        and workload.request.gpus + workload.request.slices + workload.request.gpu_milli > 0
        and ledger.reserved.is_for(reservation, workload)
        and fits_in_window(workload, ledger.pools[workload.pool].policy, ledger.now, window)
        and not ledger.refusals_inside(workload)
    )
