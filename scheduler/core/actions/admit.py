"""Start what fits, in queue order."""

from collections.abc import Iterable

from scheduler.core.entities import PendingWorkload, PoolId, Request
from scheduler.core.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.plan import Place
from scheduler.core.reservation import keep_room_for


def admit(queue: Iterable[PendingWorkload], ledger: Ledger) -> tuple[Place, ...]:
    """Place every workload that may start and fits; keep room for the first that does not.

    Open capacity only shrinks during a cycle, so a shape that did not fit once is not tried again:
    a queue of thousands costs as much as its different shapes.
    """
    places = []
    blocked: set[tuple[PoolId, Request]] = set()
    for workload in queue:
        shape = (workload.pool, workload.request)
        if shape in blocked or not _may_start(workload, ledger):
            continue
        rooms = ledger.open[workload.pool].values()
        placements = place_gang(workload.request, rooms, workload.avoid)
        if placements:
            ledger.place(workload, placements)
            places.append(Place(workload.id, workload.version, placements))
            continue
        blocked.add(shape)
        if workload.pool not in ledger.kept_for:
            keep_room_for(workload, ledger)
    return tuple(places)


def _may_start(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether nothing but capacity can keep it; a limit of its own never blocks others."""
    if workload.held or not ledger.pools[workload.pool].open:
        return False
    first = ledger.kept_for.get(workload.pool)
    return not ledger.quotas.refusals(workload, beside=first)
