"""Take deserved: a group below its deserved share does not wait for starts promised beyond a share.

Work that its group could reclaim for starts in what such promises keep, where it fits nowhere else. They
are kept again behind it; what moves back is given its cause (`MoveCause.DESERVED`).
"""

from collections.abc import Iterable, Iterator

from scheduler.core.actions.victims import find_unreserved, is_eligible
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, Placement, WorkClass
from scheduler.core.model.plan import MoveCause, PlannedStart
from scheduler.core.reservation.published import give_up_for, keep_again


def take_deserved(queue: Iterable[PendingWorkload], ledger: Ledger) -> Iterator[PlannedStart]:
    """Start, in queue order, deserved work that still waits, in the place of starts beyond a share."""
    if not ledger.deserved or not ledger.starts.by_pool:
        return
    tried: set[WorkClass] = set()
    for workload in queue:
        is_asked = workload.id in ledger.deserved and workload.id in ledger.pending
        if not is_asked or workload.work_class in tried:
            continue
        if placements := _place(workload, ledger):
            yield PlannedStart(workload.id, workload.version, placements)
        else:
            tried.add(workload.work_class)


def _place(workload: PendingWorkload, ledger: Ledger) -> tuple[Placement, ...] | None:
    """Start the workload in the place of what is promised beyond a share; return where."""
    mark = ledger.mark()
    ledger.starts.forget(workload)
    given_up = give_up_for(workload, ledger)
    placements = None
    if given_up and is_eligible(workload, ledger):
        placements = find_unreserved(workload, ledger)
    if placements is None:
        ledger.undo(mark)
        return None
    ledger.allocate(workload, placements)
    keep_again(given_up, ledger, MoveCause.DESERVED)
    return placements
