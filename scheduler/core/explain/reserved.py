"""Why work waits beside free devices: an advance reservation needs them before it would have ended."""

from scheduler.core.capacity.filters import find_shortfall
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.reasons import Reason, ReasonCode, ReasonParams


def explain_reserved(workload: PendingWorkload, ledger: Ledger) -> tuple[Reason, ...]:
    """Return the reservation that keeps free capacity from the workload; empty if none does.

    Its own group's comes first, with its name; of others only the times are given.
    """
    level = ledger.reserved.level(workload, workload.pool, ledger.now)
    if not level:
        return ()
    view = ledger.capacity_for(workload, workload.pool, backfills=True)
    if find_shortfall(workload.request, view.matrix) is None:
        return ()
    kept = ledger.reserved.kept_at(workload.pool, level)
    own = [each for each in kept if ledger.reserved.is_for(each, workload)]
    windows = [window for each in own or kept if (window := each.next_window(ledger.now))]
    params: ReasonParams = {
        "pool": ledger.pools[workload.pool].name,
        "from": min(window.start for window in windows),
        "until": max(window.end for window in windows),
        "reservation": own[0].name if own else "",
    }
    return (Reason(ReasonCode.RESERVED, params),)
