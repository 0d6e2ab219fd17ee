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

from scheduler.core.actions.consolidate import consolidation
from scheduler.core.actions.node_victims import Candidate
from scheduler.core.actions.preempt import lower_priority
from scheduler.core.actions.reclaim import borrowed_share
from scheduler.core.actions.return_loans import guests_in_the_way, restore_kept
from scheduler.core.actions.time_slicing import Turns
from scheduler.core.actions.victims import Holders, may_start, victim_sets, would_start
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
from scheduler.core.model.plan import Evict
from scheduler.core.ordering.precedence import pools_under
from scheduler.core.quotas.fair_share import Shares, total_demand
from scheduler.core.reservation.reservations import keeps_promises, reserve, sure_until

TRIES_PER_POOL: Final = 32
"""Different kinds of waiting work, from the head of a pool's queue, for which a plan is sought."""

_Kind = tuple[PoolId, GroupId, int, Request, UserId | None]
"""Alike in all that rooms and rules look at; where work takes turns, of one member, whose own line
is in the order in which turns are taken."""


def make_room(
    queue: Iterable[PendingWorkload],
    ledger: Ledger,
    now: Millis,
    placed: AbstractSet[WorkloadId] = frozenset(),
) -> tuple[Evict, ...]:
    """Return the evictions that this decision starts; the ledger is left as it was.

    `placed` is what the same decision has just started: it is nobody's victim.
    """
    if not any(work.preemptible for work in ledger.running.values()):
        return ()
    mark = ledger.mark()
    ledger.reopen()
    for work in tuple(ledger.stopping):
        ledger.end(work)
    planner = _Planner(ledger, now, placed)
    for workload in queue:
        if workload.id in ledger.pending:
            planner.seek(workload)
    for pool in sorted(ledger.pools):
        planner.restore(pool)
    ledger.undo(mark)
    return tuple(planner.evictions)


class _Planner:
    """Goes through the queue on a ledger in which the past plans have already happened."""

    def __init__(self, ledger: Ledger, now: Millis, placed: AbstractSet[WorkloadId]) -> None:
        self.evictions: list[Evict] = []
        self._ledger, self._now = ledger, now
        self._placed = set(placed)
        self._turns = Turns()
        self._hopeless: set[_Kind] = set()
        """Kinds of work for which there is no room."""
        self._refused: set[tuple[_Kind, UserId]] = set()
        """Kinds of work for which somebody has no quota, or would delay a promised start."""
        self._tries: Counter[PoolId] = Counter()
        self._shares: Shares | None = None

    def seek(self, workload: PendingWorkload) -> None:
        """Let the workload start in what is coming free, or plan who leaves for it, or give up."""
        if self._tries[workload.pool] >= TRIES_PER_POOL:
            return
        turns = self._ledger.pools[workload.pool].policy.turn_s
        whose = workload.user if turns else None
        kind = (workload.pool, workload.group, workload.priority, workload.request, whose)
        if kind in self._hopeless or (kind, workload.user) in self._refused:
            return
        if workload.held or not self._ledger.pools[workload.pool].open:
            return
        if would_start(workload, self._ledger):
            self._start(workload)
        elif victims := self._victims(workload):
            self._tries[workload.pool] += 1
            if not self._exchange(victims, workload):
                self._refused.add((kind, workload.user))
        elif may_start(workload, self._ledger):
            self._tries[workload.pool] += 1
            self._hopeless.add(kind)
            self._keep_room(workload)
        else:
            self._refused.add((kind, workload.user))

    def restore(self, pool: PoolId) -> None:
        """Bring back the cards that a lender keeps."""
        if self._ledger.pools[pool].policy.lending.windows:
            leaving = restore_kept(self._holding(pool), pool, self._ledger, self._now)
            self._stop(leaving, None)

    def _exchange(self, victims: Sequence[Candidate], workload: PendingWorkload) -> bool:
        """Let the workload have its victims' place, unless a promised start counts on their end."""
        mark, planned, shares = self._ledger.mark(), len(self.evictions), self._shares
        self._stop(victims, workload)
        self._start(workload)
        if self._ends_in_time(workload) or keeps_promises(workload.pool, self._ledger):
            return True
        self._ledger.undo(mark)
        self._shares = shares
        self._placed.discard(workload.id)
        del self.evictions[planned:]
        return False

    def _ends_in_time(self, workload: PendingWorkload) -> bool:
        """Tell whether the workload, by its limit, is gone before anybody's promised start."""
        sure = sure_until(workload.pool, self._ledger)
        grace_s = self._ledger.pools[workload.pool].policy.grace_s
        ends = self._now + (grace_s + workload.time_limit_s) * 1000
        return sure is None or ends <= sure

    def _victims(self, workload: PendingWorkload) -> tuple[Candidate, ...]:
        """Return the cheapest set that the gentlest rules allow; each rule adds to those before."""
        holders = self._holding(workload.pool)
        most = self._ledger.pools[workload.pool].policy.victims_max
        candidates: tuple[Candidate, ...] = ()
        for rule in (guests_in_the_way, lower_priority, self._turns.had, self._borrowed_share):
            more = rule(workload, holders, self._ledger, self._now)
            candidates += more
            for victims in victim_sets(workload, candidates, self._ledger) if more else ():
                if len(victims) <= most:
                    return victims
        return consolidation(workload, holders, self._ledger, self._now)

    def _borrowed_share(
        self, workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
    ) -> tuple[Candidate, ...]:
        return borrowed_share(workload, holders, ledger, now, self._shares_now)

    def _shares_now(self) -> Shares:
        """Return the shares after what is planned so far; divided once, then moved."""
        if self._shares is None:
            self._shares = self._ledger.shares()
        return self._shares

    def _move(self, work: PendingWorkload | RunningWorkload, times: int) -> None:
        if self._shares is not None:
            pool = self._ledger.pools[work.pool]
            cost = total_demand(work, pool)
            self._shares = self._shares.moved(work.group, pool.id, cost, times)

    def _keep_room(self, workload: PendingWorkload) -> None:
        """Keep what the head of the queue waits for; nobody is evicted for others to take it."""
        if workload.pool not in self._ledger.kept_for:
            reserve(workload, self._ledger)

    def _holding(self, pool: PoolId) -> Holders:
        """Return the preemptible work that is left in the pool."""
        return [work for work in self._holders[pool] if work.id in self._ledger.running]

    @cached_property
    def _holders(self) -> dict[PoolId, list[RunningWorkload]]:
        return _holders(self._ledger, self._placed)

    def _stop(self, victims: Iterable[Candidate], workload: PendingWorkload | None) -> None:
        for victim in victims:
            work = self._ledger.end(victim.work.id)
            self._move(work, -1)
            host = self._ledger.pool_of.get(work.placements[0].node, work.pool)
            self.evictions.append(
                Evict(
                    workload=work.id,
                    version=work.version,
                    cause=victim.cause,
                    beneficiary=workload.id if workload else None,
                    grace_s=self._ledger.pools[host].policy.grace_s,
                )
            )

    def _start(self, workload: PendingWorkload) -> None:
        yard = self._ledger.open[workload.pool].yard
        placements = place_gang(workload.request, yard, workload.avoid)
        if placements:
            self._ledger.place(workload, placements)
            self._placed.add(workload.id)
            self._move(workload, 1)


def _holders(
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
