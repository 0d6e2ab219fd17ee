"""Evictions that only protected run time delays: which work leaves, and from when on.

Every start is protected for `min_runtime_s`, from reclaim for `reclaim_min_runtime_s`, and with
time slices for `turn_s`. Work with a better
right waits until that is over. Here the same rules are asked as of the moments at which some work is
protected no more, so that the wait can name its end. Nothing is planned: a later decision does that.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, PoolId, RunningWorkload
from scheduler.core.model.plan import DeferredEviction, PlannedEviction

TRIES_PER_POOL: Final = 16
"""Workloads, from the head of a pool's queue, for which such evictions are sought."""
_LOOKED: Final = 1_000
"""Workloads of each pool that are looked at; most are like one for which nothing was found."""

FindVictims = Callable[[PendingWorkload], tuple[EvictionCandidate, ...]]
Exchange = Callable[[Sequence[EvictionCandidate], PendingWorkload], Sequence[PlannedEviction]]
"""Evicts the victims and starts the workload; returns nothing if a reserved start forbids it."""


class ProtectedRunTime:
    """Goes through the queue on a ledger on which all plans so far have already happened."""

    def __init__(
        self,
        ledger: Ledger,
        preemptible: Sequence[RunningWorkload],
        find_victims: FindVictims,
        exchange: Exchange,
    ) -> None:
        """Take the work that may be evicted at all, and the rules."""
        self._ledger = ledger
        self._preemptible = preemptible
        self._find_victims = find_victims
        self._exchange = exchange
        self._tries: Counter[PoolId] = Counter()
        self._first: dict[Hashable, int] = {}
        """From which moment of its pool on a plan for a kind of work may exist."""
        self._moments: dict[PoolId, Sequence[Millis]] = {}

    def candidates(self, queue: Iterable[PendingWorkload]) -> Iterator[PendingWorkload]:
        """Yield the work at the head of each open pool in which protection is yet to end."""
        looks = {
            pool.id: _LOOKED
            for pool in self._ledger.pools.values()
            if pool.is_open and self._protection_ends(pool.id)
        }
        for workload in queue if looks else ():
            pool = workload.pool
            left = looks.get(pool, 0)
            if left and workload.id in self._ledger.pending and not workload.held:
                looks[pool] = left - 1 if self._tries[pool] < TRIES_PER_POOL else 0
                yield workload

    def defer_for(self, workload: PendingWorkload, kind: Hashable) -> DeferredEviction | None:
        """Return the plan that becomes possible first, as if it had happened for those behind it.

        Work of one kind is equal in everything that the rules depend on: what is found for one is
        no later than for the next.
        """
        pool = workload.pool
        moments, first = self._protection_ends(pool), self._first.get(kind, 0)
        if first >= len(moments) or self._tries[pool] >= TRIES_PER_POOL:
            return None
        self._tries[pool] += 1
        self._first[kind] = first = self._first_moment(workload, moments, first)
        return self._defer(workload, moments[first]) if first < len(moments) else None

    def _first_moment(
        self, workload: PendingWorkload, moments: Sequence[Millis], first: int
    ) -> int:
        """Return the place of the first moment at which victims are found; else how many there are."""

        def has_victims(moment: Millis) -> bool:
            with self._ledger.as_of(moment):
                return bool(self._find_victims(workload))

        if has_victims(moments[first]):
            return first
        if not has_victims(moments[-1]):
            return len(moments)
        return bisect_left(moments, True, first + 1, key=has_victims)

    def _defer(self, workload: PendingWorkload, moment: Millis) -> DeferredEviction | None:
        with self._ledger.as_of(moment):
            victims = self._find_victims(workload)
            made = self._exchange(victims, workload)
        if not made:
            return None
        ran_ms = [
            moment - each.work.started_at for each in victims if each.work.started_at is not None
        ]
        return DeferredEviction(
            beneficiary=workload.id,
            victims=tuple(eviction.workload for eviction in made),
            at=moment,
            grace_s=max(eviction.grace_s for eviction in made),
            protected_s=min(ran_ms, default=0) // 1000,
        )

    def _protection_ends(self, pool: PoolId) -> Sequence[Millis]:
        """Return the moments to come at which some work is protected no more, in order."""
        if pool not in self._moments:
            policies = {key: each.policy for key, each in self._ledger.pools.items()}
            rules = policies[pool]
            own = {rules.min_runtime_s, rules.reclaim_min_runtime_s, rules.turn_s}
            ends = {
                Millis(work.started_at + seconds * 1000)
                for work in self._preemptible
                if work.started_at is not None and work.id in self._ledger.running
                for seconds in own | {policies[work.pool].min_runtime_s}
            }
            self._moments[pool] = sorted(end for end in ends if end > self._ledger.now)
        return self._moments[pool]
