"""Why work waits beside free devices: an advance reservation needs them before it would have ended."""

from scheduler.core.capacity.filters import find_shortfall
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, Request
from scheduler.core.model.reasons import Reason, ReasonCode, ReasonParams


class ReservedReasons:
    """What advance reservations keep from waiting work; equal requests share the search."""

    def __init__(self, ledger: Ledger) -> None:
        """Look at nothing yet."""
        self._ledger = ledger
        self._fits: dict[tuple[PoolId, int, Request], bool] = {}
        self._by_user = {
            pool
            for pool in ledger.pools
            if any(each.users for each in ledger.reserved.upcoming_in(pool))
        }

    def key(self, workload: PendingWorkload) -> tuple[object, ...]:
        """Return everything about the workload that the answer depends on, beside group and request."""
        if not self._ledger.reserved:
            return ()
        user = workload.user if workload.pool in self._by_user else None
        return self._level(workload), user

    def find(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return the reservation that keeps free capacity from the workload; empty if none does.

        Its own group's comes first, with its name; of others only the times are given.
        """
        level = self._level(workload)
        if not level or self._fits_beside(workload, level):
            return ()
        ledger = self._ledger
        kept = ledger.reserved.kept_at(workload.pool, level)
        own = [each for each in kept if ledger.reserved.is_for(each, workload)]
        windows = [window for each in own or kept if (window := each.next_window(ledger.now))]
        params: ReasonParams = {
            "pool": ledger.pools[workload.pool].name,
            "from_at": min(window.start for window in windows),
            "until_at": max(window.end for window in windows),
            "reservation": own[0].name if own else "",
        }
        return (Reason(ReasonCode.RESERVED, params),)

    def _level(self, workload: PendingWorkload) -> int:
        return self._ledger.reserved.level(workload, workload.pool, self._ledger.now)

    def _fits_beside(self, workload: PendingWorkload, level: int) -> bool:
        key = (workload.pool, level, workload.request)
        if key not in self._fits:
            view = self._ledger.capacity_for(workload, workload.pool, backfills=True)
            self._fits[key] = find_shortfall(workload.request, view.matrix) is None
        return self._fits[key]
