"""Why nobody knows when waiting work starts: work with an open end holds what it needs."""

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PoolId, Request, RunningWorkload
from scheduler.core.model.plan import EvictionPlans
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.timeline.node_reservation import FREE_SOON, NEVER, TimePoint
from scheduler.core.timeline.pool_timeline import PoolTimeline, TimelineCache, end_by_limit


class OpenEndReasons:
    """What work with an open end keeps from waiting work, pool by pool."""

    def __init__(self, ledger: Ledger, plans: EvictionPlans) -> None:
        """Look at nothing yet; what is to be evicted by these plans has an end."""
        self._ledger = ledger
        self._evicted = {each.workload for each in plans.evictions}.union(
            *(each.victims for each in plans.deferred)
        )
        self._has_any: dict[PoolId, bool] = {}
        self._timelines: dict[PoolId, PoolTimeline] = {}

    def find(self, request: Request, pool: PoolId) -> tuple[Reason, ...]:
        """Return that the request does not fit however much else ends; empty if it does then."""
        if not self._holds_any(pool):
            return ()
        if pool not in self._timelines:
            self._timelines[pool] = self._ledger.timeline(pool, TimelineCache(self._end_of))
        if self._timelines[pool].earliest_start(request) is not None:
            return ()
        return (Reason(ReasonCode.BEHIND_OPEN_END, {"pool": self._ledger.pools[pool].name}),)

    def _holds_any(self, pool: PoolId) -> bool:
        """Return whether work with an open end holds something of the pool, and stays."""
        if pool not in self._has_any:
            pool_of = self._ledger.pool_of
            self._has_any[pool] = any(
                pool_of.get(place.node) == pool
                for work in self._ledger.running.values()
                if self._end_of(work) == NEVER
                for place in work.placements
            )
        return self._has_any[pool]

    def _end_of(self, work: RunningWorkload) -> TimePoint:
        return FREE_SOON if work.id in self._evicted else end_by_limit(work)
