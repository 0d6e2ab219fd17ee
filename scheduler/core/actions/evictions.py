"""Plan who must leave so that waiting work, which has a better right, can start.

Five rules, gentlest first: what was lent comes back (`call_back`), higher priority goes before
lower inside a group (`preempt`), who has had his turn makes way where a pool takes turns
(`rotate`), a group takes back its share (`reclaim`), and work moves together where a policy allows
it (`consolidate`). A plan is whole or not made: its beneficiary really fits
once the victims are gone, and no start that is promised to somebody before it moves back.

What already stops counts as free. So nothing is planned twice, and a beneficiary has never more
than one plan: while its victims leave, it fits. It goes first until it has started
(`promised_first`), so that nobody else takes the hole, its victims least of all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from operator import attrgetter
from typing import Final

from scheduler.core.actions.consolidate import find_consolidation
from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.preempt import find_lower_priority
from scheduler.core.actions.reclaim import find_reclaimable
from scheduler.core.actions.return_loans import find_borrowers, find_overdue_borrowers
from scheduler.core.actions.time_slicing import TimeSlices
from scheduler.core.actions.victims import Holders, find_victim_sets, fits_now, is_eligible
from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import PlannedEviction
from scheduler.core.ordering.precedence import pools_under
from scheduler.core.quotas.fair_share import FairShares, total_demand
from scheduler.core.reservation.reservations import (
    are_reservations_kept,
    backfill_until,
    reserve_start,
)

TRIES_PER_POOL: Final = 32
"""Different kinds of waiting work, from the head of a pool's queue, for which a plan is sought."""

_WorkKind = tuple[PoolId, GroupId, int, Request, UserId | None]
"""Alike in all that rooms and rules look at; where work takes turns, of one member, whose own line
is in the order in which turns are taken."""


def plan_evictions(
    queue: Iterable[PendingWorkload],
    ledger: Ledger,
    now: Millis,
    placed: AbstractSet[WorkloadId] = frozenset(),
) -> tuple[PlannedEviction, ...]:
    """Return the evictions that this decision starts; the ledger is left as it was.

    `placed` is what the same decision has just started: it is nobody's victim.
    """
    if not any(work.preemptible for work in ledger.running.values()):
        return ()
    mark = ledger.mark()
    ledger.drop_reservations()
    for work in tuple(ledger.stopping):
        ledger.release(work)
    planner = _EvictionPlanner(ledger, now, placed)
    for workload in queue:
        if workload.id in ledger.pending:
            planner.seek(workload)
    for pool in sorted(ledger.pools):
        planner.restore(pool)
    ledger.undo(mark)
    return tuple(planner.evictions)


class _EvictionPlanner:
    """Goes through the queue on a ledger in which the past plans have already happened."""

    def __init__(self, ledger: Ledger, now: Millis, placed: AbstractSet[WorkloadId]) -> None:
        self.evictions: list[PlannedEviction] = []
        self._ledger, self._now = ledger, now
        self._placed = set(placed)
        self._turns = TimeSlices()
        self._hopeless: set[_WorkKind] = set()
        """Kinds of work for which there is no room."""
        self._refused: set[tuple[_WorkKind, UserId]] = set()
        """Kinds of work for which somebody has no quota, or would delay a promised start."""
        self._tries: Counter[PoolId] = Counter()
        self._shares: FairShares | None = None

    def seek(self, workload: PendingWorkload) -> None:
        """Let the workload start in what is coming free, or plan who leaves for it, or give up."""
        if self._tries[workload.pool] >= TRIES_PER_POOL:
            return
        turns = self._ledger.pools[workload.pool].policy.turn_s
        whose = workload.user if turns else None
        kind = (workload.pool, workload.group, workload.priority, workload.request, whose)
        if kind in self._hopeless or (kind, workload.user) in self._refused:
            return
        if workload.held or not self._ledger.pools[workload.pool].is_open:
            return
        if fits_now(workload, self._ledger):
            self._start(workload)
        elif victims := self._victims(workload):
            self._tries[workload.pool] += 1
            if not self._exchange(victims, workload):
                self._refused.add((kind, workload.user))
        elif is_eligible(workload, self._ledger):
            self._tries[workload.pool] += 1
            self._hopeless.add(kind)
            self._keep_room(workload)
        else:
            self._refused.add((kind, workload.user))

    def restore(self, pool: PoolId) -> None:
        """Bring back the cards that a lender keeps."""
        if self._ledger.pools[pool].policy.lending.windows:
            leaving = find_overdue_borrowers(self._holding(pool), pool, self._ledger, self._now)
            self._stop(leaving, None)

    def _exchange(self, victims: Sequence[EvictionCandidate], workload: PendingWorkload) -> bool:
        """Let the workload have its victims' place, unless a promised start counts on their end."""
        mark, planned, shares = self._ledger.mark(), len(self.evictions), self._shares
        self._stop(victims, workload)
        self._start(workload)
        if self._ends_in_time(workload) or are_reservations_kept(workload.pool, self._ledger):
            return True
        self._ledger.undo(mark)
        self._shares = shares
        self._placed.discard(workload.id)
        del self.evictions[planned:]
        return False

    def _ends_in_time(self, workload: PendingWorkload) -> bool:
        """Tell whether the workload, by its limit, is gone before anybody's promised start."""
        sure = backfill_until(workload.pool, self._ledger)
        grace_s = self._ledger.pools[workload.pool].policy.grace_s
        ends = self._now + (grace_s + workload.time_limit_s) * 1000
        return sure is None or ends <= sure

    def _victims(self, workload: PendingWorkload) -> tuple[EvictionCandidate, ...]:
        """Return the cheapest set that the gentlest rules allow; each rule adds to those before."""
        holders = self._holding(workload.pool)
        most = self._ledger.pools[workload.pool].policy.victims_max
        candidates: tuple[EvictionCandidate, ...] = ()
        for rule in (
            find_borrowers,
            find_lower_priority,
            self._turns.find_expired,
            self._borrowed_share,
        ):
            more = rule(workload, holders, self._ledger, self._now)
            candidates += more
            for victims in find_victim_sets(workload, candidates, self._ledger) if more else ():
                if len(victims) <= most:
                    return victims
        return find_consolidation(workload, holders, self._ledger, self._now)

    def _borrowed_share(
        self, workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
    ) -> tuple[EvictionCandidate, ...]:
        return find_reclaimable(workload, holders, ledger, now, self._shares_now)

    def _shares_now(self) -> FairShares:
        """Return the shares after what is planned so far; divided once, then moved."""
        if self._shares is None:
            self._shares = self._ledger.fair_shares()
        return self._shares

    def _move(self, work: PendingWorkload | RunningWorkload, times: int) -> None:
        if self._shares is not None:
            pool = self._ledger.pools[work.pool]
            cost = total_demand(work, pool)
            self._shares = self._shares.with_allocation(work.group, pool.id, cost, times)

    def _keep_room(self, workload: PendingWorkload) -> None:
        """Keep what the head of the queue waits for; nobody is evicted for others to take it."""
        if workload.pool not in self._ledger.first_blocked:
            reserve_start(workload, self._ledger)

    def _holding(self, pool: PoolId) -> Holders:
        """Return the preemptible work that is left in the pool."""
        return [work for work in self._holders[pool] if work.id in self._ledger.running]

    @cached_property
    def _holders(self) -> dict[PoolId, list[RunningWorkload]]:
        return _preemptible_by_pool(self._ledger, self._placed)

    def _stop(self, victims: Iterable[EvictionCandidate], workload: PendingWorkload | None) -> None:
        for victim in victims:
            work = self._ledger.release(victim.work.id)
            self._move(work, -1)
            host = self._ledger.pool_of.get(work.placements[0].node, work.pool)
            self.evictions.append(
                PlannedEviction(
                    workload=work.id,
                    version=work.version,
                    cause=victim.cause,
                    beneficiary=workload.id if workload else None,
                    grace_s=self._ledger.pools[host].policy.grace_s,
                )
            )

    def _start(self, workload: PendingWorkload) -> None:
        yard = self._ledger.unreserved[workload.pool].matrix
        placements = place_gang(workload.request, yard, workload.avoid)
        if placements:
            self._ledger.allocate(workload, placements)
            self._placed.add(workload.id)
            self._move(workload, 1)


def _preemptible_by_pool(
    ledger: Ledger, placed: AbstractSet[WorkloadId]
) -> dict[PoolId, list[RunningWorkload]]:
    """Return, for each pool, the preemptible work that holds something on its nodes, by id."""
    holders: dict[PoolId, list[RunningWorkload]] = defaultdict(list)
    for work in sorted(ledger.running.values(), key=attrgetter("id")):
        if not work.preemptible or work.id in placed:
            continue
        if len(work.placements) > 1:
            for pool in pools_under(work, ledger.pool_of):
                holders[pool].append(work)
        elif (host := ledger.pool_of.get(work.placements[0].node)) is not None:
            holders[host].append(work)
    return holders
