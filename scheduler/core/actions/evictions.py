"""Plan which running work is evicted so that waiting work with a better right can start.

What an advance reservation needs leaves first of all (`clear_reserved`). Then five rules, gentlest first: a lender's cards come back (`return_loans`), higher priority goes before
lower inside a group, and then the next time slice (both `preempt`), a group takes back its share
(`reclaim`), and work is moved together (`consolidate`). A plan is whole or not made: its
beneficiary fits once the victims are gone, and no start that was reserved before moves back.

What is already stopping counts as free, and the work that it stops for as started there. So nothing
is planned twice, and a beneficiary never has more than one plan. The place is kept for it until all of
it is free (`reservation/cleared.py`), so that no other work takes it, least of all the victims. Work
that is overdue, or on a silent node, is not counted on: then others are stopped instead.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from itertools import chain, islice
from operator import attrgetter
from typing import Final

from scheduler.core.actions.clear_reserved import find_overstaying
from scheduler.core.actions.consolidate import find_consolidation
from scheduler.core.actions.lending import (
    Lender,
    find_lenders,
    fits_with_lender,
    may_borrow,
    place_with_lender,
)
from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.preempt import TimeSlices, find_lower_priority
from scheduler.core.actions.protected_run_time import ProtectedRunTime
from scheduler.core.actions.reclaim import find_reclaimable
from scheduler.core.actions.return_loans import find_borrowers, find_overdue_borrowers
from scheduler.core.actions.victims import (
    Holders,
    find_sufficient,
    find_unreserved,
    find_victim_sets,
    fits_now,
    is_eligible,
)
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import ReservedDevice
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    Placement,
    PoolId,
    Request,
    RunningWorkload,
    UserId,
    WorkClass,
    WorkloadId,
)
from scheduler.core.model.plan import (
    DeferredEviction,
    EvictionPlans,
    PlannedEviction,
    PlannedReservation,
)
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.work_traits import WorkTraits
from scheduler.core.ordering.precedence import pools_under
from scheduler.core.ordering.work_classes import ClassedQueue
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.reservation.published import keep_again
from scheduler.core.reservation.reservations import (
    are_reservations_kept,
    backfill_until,
    reserve_start,
    round_up,
)
from scheduler.core.timeline.node_reservation import to_millis
from scheduler.core.timeline.pool_timeline import end_by_limit

SETS_TRIED: Final = 8
"""Sets of victims that are tried for one workload: one may delay a promised start, and the next not."""
TRIES_PER_POOL: Final = 32
"""Different kinds of waiting work, from the head of a pool's queue, for which a plan is sought."""


_WorkKind = tuple[PoolId, GroupId, int, Request, bool, WorkTraits, UserId | None]
"""Equal in everything that capacity and rules depend on. With time slicing the member belongs to it,
because the order inside one member's work decides."""


def plan_evictions(
    queue: ClassedQueue,
    ledger: Ledger,
    started: AbstractSet[WorkloadId] = frozenset(),
    *,
    explained: bool = True,
) -> EvictionPlans:
    """Return the evictions that this decision begins; the ledger is left as it was.

    `started` is what the same decision has just started: it is never a victim. With `explained`,
    what only protected run time delays is found too.
    """
    if not any(work.preemptible for work in ledger.running.values()):
        return EvictionPlans()
    mark = ledger.mark()
    planner = _EvictionPlanner(ledger, started)
    planner.look_ahead()
    ledger.looks_ahead = True
    planner.clear_reserved()
    planner.plan_for(queue)
    for pool in sorted(ledger.pools):
        planner.return_kept_cards(pool)
    deferred = tuple(planner.defer_evictions(queue.works)) if explained else ()
    ledger.looks_ahead = False
    ledger.undo(mark)
    helpful = tuple(each for each in deferred if not _is_promised_sooner(each, ledger))
    return EvictionPlans(tuple(planner.evictions), helpful, tuple(planner.cleared.values()))


def _is_promised_sooner(deferred: DeferredEviction, ledger: Ledger) -> bool:
    """Return whether its beneficiary has a reserved start before the evictions would be over."""
    over = deferred.at + deferred.grace_s * 1000
    return any(
        each.workload.id == deferred.beneficiary and each.start.starts_at(ledger.now) <= over
        for reservations in ledger.starts.by_pool.values()
        for each in reservations
    )


class _EvictionPlanner:
    """Goes through the queue on a ledger on which all plans so far have already happened."""

    def __init__(self, ledger: Ledger, started: AbstractSet[WorkloadId]) -> None:
        self.evictions: list[PlannedEviction] = []
        self.cleared: dict[WorkloadId, PlannedReservation] = {}
        """The starts for which there are evictions."""
        self._ledger = ledger
        self._started = set(started)
        self._blocked = frozenset(ledger.starts.first_blocked)
        """Pools in which own work is blocked: they lend nothing."""
        self._leaving = [work for work in ledger.stopping.values() if ledger.is_leaving(work)]
        self._awaited = {work.stopping_for for work in self._leaving}
        """Work for which other work is leaving already."""
        self._time_slices = TimeSlices()
        self._hopeless: set[_WorkKind] = set()
        """Kinds of work that no rule can free capacity for."""
        self._refused: set[tuple[_WorkKind, UserId]] = set()
        """Kinds of work that this user has no quota for, or that would delay a reserved start."""
        self._considered: set[WorkClass] = set()
        """Classes of waiting work that are still worth an attempt: not hopeless, not refused, their pool not
        closed and not tried often enough."""
        self._tries: Counter[PoolId] = Counter()
        self._shares: FairShares | None = None

    def look_ahead(self) -> None:
        """Let everything happen that is decided already: what leaves is gone, what it left for runs."""
        starts = self._ledger.starts
        promised = [each for each in starts.drop() if each.published is not None]
        for work in self._leaving:
            self._ledger.release(work.id)
        for each in tuple(starts.cleared.values()):
            self._ledger.allocate(each.workload, each.placements())
            self._started.add(each.workload.id)
        keep_again(promised, self._ledger)

    def plan_for(self, queue: ClassedQueue) -> None:
        """Go through the queue; of a class that was given up, no more is looked at."""
        self._considered = queue.classes()
        for workload in queue.of_classes(self._considered):
            self._plan_for(workload)

    def _plan_for(self, workload: PendingWorkload) -> None:
        """Start the workload in what is coming free, or plan evictions for it, or give up."""
        pool = self._ledger.pools[workload.pool]
        kind = self._kind_of(workload)
        if (
            self._tries[pool.id] >= TRIES_PER_POOL
            or not pool.is_open
            or kind in self._hopeless
            or (kind, workload.user) in self._refused
        ):
            self._considered.discard(workload.work_class)
            return
        if workload.held or workload.id not in self._ledger.pending:
            return
        if fits_now(workload, self._ledger):
            self._start(workload)
        elif workload.id not in self._awaited or not self._start_borrowing(workload):
            self._plan_evictions_for(workload, kind)

    def _kind_of(self, workload: PendingWorkload) -> _WorkKind:
        member = workload.user if self._ledger.pools[workload.pool].policy.turn_s else None
        return (
            *(workload.pool, workload.group, workload.priority, workload.request),
            *(workload.preemptible, workload.traits, member),
        )

    def defer_evictions(self, queue: Iterable[PendingWorkload]) -> Iterator[DeferredEviction]:
        """Yield, in queue order, the plans that become possible as protected run times end."""
        protection = ProtectedRunTime(
            self._ledger, self._preemptible, self._find_victims_anew, self._exchange_on_trial
        )
        for workload in protection.candidates(queue):
            kind = self._kind_of(workload), workload.user
            if found := protection.defer_for(workload, kind):
                yield found

    def _find_victims_anew(self, workload: PendingWorkload) -> tuple[EvictionCandidate, ...]:
        """Return the victims as of another moment, at which other time slices are over."""
        self._time_slices = TimeSlices()
        return next(self._find_victims(workload), ())

    def _exchange_on_trial(
        self, victims: Sequence[EvictionCandidate], workload: PendingWorkload
    ) -> Sequence[PlannedEviction]:
        """Exchange them without planning it; return the evictions, none if they are not allowed."""
        mark, planned = self._ledger.mark(), len(self.evictions)
        self._exchange(victims, workload)
        found, self.evictions[planned:] = self.evictions[planned:], []
        self.cleared.pop(workload.id, None)
        if not found:
            self._ledger.undo(mark)
        return found

    def _plan_evictions_for(self, workload: PendingWorkload, kind: _WorkKind) -> None:
        pool, sets = workload.pool, self._find_victims(workload)
        if victims := next(sets, None):
            self._tries[pool] += 1
            others = islice(sets, SETS_TRIED - 1)
            if not any(self._exchange(each, workload) for each in chain((victims,), others)):
                self._refused.add((kind, workload.user))
        elif self._preempt_borrowers(workload):
            self._tries[pool] += 1
        elif is_eligible(workload, self._ledger):
            self._tries[pool] += 1
            self._hopeless.add(kind)
            self._reserve_for_first(workload)
        else:
            self._refused.add((kind, workload.user))

    def clear_reserved(self) -> None:
        """Evict what would be in the way of a reservation, and what stays beyond its own."""
        for pool in sorted(self._ledger.pools) if self._ledger.reserved else ():
            self._evict(find_overstaying(self._holders_in(pool), pool, self._ledger), None)

    def return_kept_cards(self, pool: PoolId) -> None:
        """Evict the borrowers on cards that the lender keeps for itself."""
        if self._ledger.pools[pool].policy.lending.windows:
            borrowers = find_overdue_borrowers(self._holders_in(pool), pool, self._ledger)
            self._evict(borrowers, None)

    def _exchange(self, victims: Sequence[EvictionCandidate], workload: PendingWorkload) -> bool:
        """Evict the victims and start the workload; undo it if it would delay a reserved start."""
        mark, planned, shares = self._ledger.mark(), len(self.evictions), self._shares
        self._ledger.starts.forget(workload)
        self._evict(victims, workload)
        self._start(workload)
        if self._ends_in_time(workload) or are_reservations_kept(
            workload.pool, self._ledger, only_deserved=workload.id in self._ledger.deserved
        ):
            self._clear_for(workload, victims)
            return True
        self._ledger.undo(mark)
        self._shares = shares
        self._started.discard(workload.id)
        del self.evictions[planned:]
        return False

    def _ends_in_time(self, workload: PendingWorkload) -> bool:
        """Return whether the workload, by its limit, ends before every reserved start."""
        until = backfill_until(workload.pool, self._ledger)
        grace_s = self._ledger.pools[workload.pool].policy.grace_s
        return until is None or self._ledger.has_left_by(Millis(until - grace_s * 1000), workload)

    def _clear_for(self, workload: PendingWorkload, victims: Iterable[EvictionCandidate]) -> None:
        """Note where the workload starts, and when all has left that is in its way."""
        now, running = self._ledger.now, self._ledger.running.get(workload.id)
        if running is None:
            return
        devices = {
            (place.node, card, slot) for place in running.placements for card, slot in place.devices
        }
        settling_s = self._ledger.overheads.settling_s
        graces = [self._policy_of(victim.work).grace_s for victim in victims]
        ends = [now + (grace_s + settling_s) * 1000 for grace_s in graces]
        ends += [
            to_millis(end_by_limit(work), now)
            for work in self._leaving
            if work.stopping_for == workload.id or not devices.isdisjoint(_devices_of(work))
        ]
        self.cleared[workload.id] = PlannedReservation(
            workload=workload.id,
            pool=workload.pool,
            starts_at=round_up(Millis(max(ends)), self._ledger),
            nodes=tuple(Counter(place.node for place in running.placements).items()),
            devices=tuple(sorted(devices)),
            since=now,
            is_cleared=True,
        )

    def _policy_of(self, work: RunningWorkload) -> PoolPolicy:
        """Return the rules of the pool whose cards the work holds, which may be a lender's."""
        owner = self._ledger.pool_of.get(work.placements[0].node, work.pool)
        return self._ledger.pools[owner].policy

    def _find_victims(self, workload: PendingWorkload) -> Iterator[tuple[EvictionCandidate, ...]]:
        """Yield the cheapest sets that the gentlest rules allow; each rule adds to those before.

        First those without work on whose devices others have been promised a start.
        """
        holders = self._holders_in(workload.pool)
        victims_max = self._ledger.pools[workload.pool].policy.victims_max
        candidates: tuple[EvictionCandidate, ...] = ()
        for rule in (
            find_borrowers,
            self._find_lower_priority,
            self._time_slices.find_expired,
            self._find_reclaimable,
        ):
            more = rule(workload, holders, self._ledger)
            candidates += more
            for options in self._spare_promised(candidates, workload) if more else ():
                for victims in find_victim_sets(workload, options, self._ledger):
                    if len(victims) <= victims_max:
                        yield victims
        if moved := find_consolidation(workload, holders, self._ledger):
            yield moved

    def _spare_promised(
        self, candidates: tuple[EvictionCandidate, ...], workload: PendingWorkload
    ) -> Iterator[tuple[EvictionCandidate, ...]]:
        """Yield the candidates on no device that is promised to others, if that leaves any out; then all."""
        promised = {
            device
            for row in self._ledger.starts.by_pool.values()
            for each in row
            if each.workload.id != workload.id
            for device in each.start.pinned or ()
        }
        rest = tuple(each for each in candidates if promised.isdisjoint(_devices_of(each.work)))
        if rest and len(rest) < len(candidates):
            yield rest
        yield candidates

    def _find_lower_priority(
        self, workload: PendingWorkload, holders: Holders, ledger: Ledger
    ) -> tuple[EvictionCandidate, ...]:
        """Return lower priority of its group: in its pool, and where a quota refuses it, anywhere."""
        here = [work for work in holders if work.pool == workload.pool]
        if not is_eligible(workload, ledger):
            there = {work.id for work in holders}
            here += [work for work in self._holders_of(workload.group) if work.id not in there]
        return find_lower_priority(workload, here, ledger)

    def _start_borrowing(self, workload: PendingWorkload) -> bool:
        """Start it on cards that it could borrow, if it can."""
        lenders = self._lenders_for(workload)
        if not lenders or not may_borrow(workload, self._ledger):
            return False
        for lender in lenders:
            if placements := place_with_lender(workload, lender, self._ledger):
                self._allocate(workload, placements)
                return True
        return False

    def _preempt_borrowers(self, workload: PendingWorkload) -> bool:
        """Evict lower priority of its group, so that the workload can borrow from another pool.

        The lender's own work stays: it would call back the card.
        """
        victims_max = self._ledger.pools[workload.pool].policy.victims_max
        for lender in self._lenders_for(workload):
            holders = [
                work for work in self._holders_of(workload.group) if work.pool != lender.pool
            ]
            lower = find_lower_priority(workload, holders, self._ledger)
            fits = partial(fits_with_lender, lender=lender)
            victims = find_sufficient(workload, lower, self._ledger, fits)
            if victims and len(victims) <= victims_max:
                self._ledger.starts.forget(workload)
                self._evict(victims, workload)
                if self._start_borrowing(workload):
                    self._clear_for(workload, victims)
                return True
        return False

    def _lenders_for(self, workload: PendingWorkload) -> list[Lender]:
        """Return the pools that it may borrow from, as the allocation of this decision saw them."""
        lenders = find_lenders(workload, self._ledger)
        return [lender for lender in lenders if lender.pool not in self._blocked]

    def _find_reclaimable(
        self, workload: PendingWorkload, holders: Holders, ledger: Ledger
    ) -> tuple[EvictionCandidate, ...]:
        return find_reclaimable(workload, holders, ledger, self._current_shares)

    def _current_shares(self) -> FairShares:
        """Return the shares after everything planned so far; divided once, then only updated."""
        if self._shares is None:
            self._shares = self._ledger.fair_shares()
        return self._shares

    def _update_shares(self, work: PendingWorkload | RunningWorkload, times: int) -> None:
        if self._shares is not None:
            home, borrowed = self._ledger.quotas.demand.at_home_and_borrowed(work)
            self._shares = self._shares.with_allocation(
                work.group, work.pool, home, times, borrowed=borrowed
            )

    def _reserve_for_first(self, workload: PendingWorkload) -> None:
        """Reserve a start for the first blocked workload: no plan behind it may use its place."""
        if workload.pool not in self._ledger.starts.first_blocked:
            reserve_start(workload, self._ledger)

    def _holders_in(self, pool: PoolId) -> Holders:
        """Return the preemptible work that still runs in the pool."""
        return [work for work in self._holders[pool] if work.id in self._ledger.running]

    def _holders_of(self, group: GroupId) -> Holders:
        """Return the preemptible work of a group that still runs, wherever it runs."""
        return [work for work in self._of_group[group] if work.id in self._ledger.running]

    @cached_property
    def _of_group(self) -> Mapping[GroupId, Sequence[RunningWorkload]]:
        found: defaultdict[GroupId, list[RunningWorkload]] = defaultdict(list)
        for work in self._preemptible:
            found[work.group].append(work)
        return found

    @cached_property
    def _preemptible(self) -> Sequence[RunningWorkload]:
        """The work that may be evicted at all, by id."""
        found = [work for work in self._ledger.running.values() if work.preemptible]
        found.sort(key=attrgetter("id"))
        return [work for work in found if work.id not in self._started]

    @cached_property
    def _holders(self) -> dict[PoolId, list[RunningWorkload]]:
        return _by_pool(self._preemptible, self._ledger)

    def _evict(
        self, victims: Iterable[EvictionCandidate], workload: PendingWorkload | None
    ) -> None:
        for victim in victims:
            work = self._ledger.release(victim.work.id)
            self._update_shares(work, -1)
            self.evictions.append(
                PlannedEviction(
                    workload=work.id,
                    version=work.version,
                    cause=victim.cause,
                    beneficiary=workload.id if workload else None,
                    grace_s=self._policy_of(work).grace_s,
                )
            )

    def _start(self, workload: PendingWorkload) -> None:
        placements = find_unreserved(workload, self._ledger)
        if placements:
            self._allocate(workload, placements)

    def _allocate(self, workload: PendingWorkload, placements: tuple[Placement, ...]) -> None:
        self._ledger.allocate(workload, placements)
        self._started.add(workload.id)
        self._update_shares(self._ledger.running[workload.id], 1)


def _devices_of(work: RunningWorkload) -> Iterator[ReservedDevice]:
    for place in work.placements:
        for card, slot in place.devices:
            yield place.node, card, slot


def _by_pool(
    works: Iterable[RunningWorkload], ledger: Ledger
) -> dict[PoolId, list[RunningWorkload]]:
    """Return, for each pool, the work that holds something on its nodes, in the given order."""
    holders: dict[PoolId, list[RunningWorkload]] = defaultdict(list)
    for work in works:
        if len(work.placements) > 1:
            for pool in pools_under(work, ledger.pool_of):
                holders[pool].append(work)
        elif (owner := ledger.pool_of.get(work.placements[0].node)) is not None:
            holders[owner].append(work)
    return holders
