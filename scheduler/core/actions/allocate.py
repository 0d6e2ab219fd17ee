"""Allocate: start what fits, in queue order, with backfill around the starts that are reserved.

This is conservative backfill with a bounded depth, as in Slurm's `sched/backfill`: the first
`backfill_depth` blocked workloads of a pool get a reservation, and later work may start only where
it cannot delay one of them. With a depth of one it is EASY backfilling (Mu'alem and Feitelson,
"Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
Backfilling", 2001).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from scheduler.core.actions.start_promised import can_backfill, start_reserved
from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, Placement, Request, WorkClass
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.policy import PoolPolicy, QueueRule
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.ordering.work_classes import ClassedQueue
from scheduler.core.reservation.reservations import backfill_until, reserve_start

_Fitting = Request | tuple[Request, int]
_TRANSIENT: Final = ReasonCode.OVER_DESERVED_NOT_LENDABLE
"""The only refusal that may end within a cycle: starts of other groups fill their guarantees."""


def allocate_waiting(queue: ClassedQueue, ledger: Ledger) -> Iterator[PlannedStart]:
    """Start, one by one, every workload that its quotas allow, that fits, and that delays no reserved start.

    The first `backfill_depth` blocked workloads of each pool get a reservation. Behind them, work
    starts if by its time limit it ends before the reserved start, or if it uses only what no
    reservation needs; in a strict pool nothing starts behind them. Work that is held, or over its
    quota, blocks nothing.
    """
    scans = {
        pool.id: _PoolScan(
            pool.policy,
            len(ledger.starts.by_pool.get(pool.id, ())),
            backfill_until(pool.id, ledger),
            bool(ledger.reserved.upcoming_in(pool.id)),
        )
        for pool in ledger.pools.values()
        if pool.is_open
    }
    considered = queue.classes()
    promised = {each.workload.id: each for each in ledger.starts}
    for workload in queue.of_classes(considered):
        scan = scans.get(workload.pool)
        if scan is not None and (reservation := promised.get(workload.id)):
            if placements := start_reserved(reservation, ledger):
                yield PlannedStart(workload.id, workload.version, placements)
            scan.is_blocked |= placements is None
            continue
        if scan is None or scan.must_wait(workload, ledger):
            # What has to wait once has to in the whole cycle, and so has all equal work.
            considered.discard(workload.work_class)
            continue
        if workload.held or scan.is_refused(workload, ledger):
            continue
        if placements := scan.place(workload, ledger):
            ledger.allocate(workload, placements)
            yield PlannedStart(workload.id, workload.version, placements)


def _narrow(workload: PendingWorkload, ledger: Ledger) -> PendingWorkload:
    """Return the workload with the request for the cards that its quotas leave it.

    Where they leave no card of its pool, and do not refuse it, the pool has none that it accepts.
    """
    request = ledger.narrow(workload)
    if request is None or request is workload.request:
        return workload
    return replace(workload, request=request)


@dataclass(slots=True)
class _PoolScan:
    """What one pass through the queue has found out about one pool.

    Free capacity only shrinks during a cycle, so a request that did not fit once is not tried
    again: a queue of thousands costs as much as the number of its different requests.
    """

    policy: PoolPolicy
    reservations: int
    backfill_until: Millis | None
    """Until when reserved capacity may be used; None while nothing is reserved."""
    has_windows: bool
    """Whether advance reservations keep anything of the pool, now or later."""
    reservations_max: int = field(init=False)
    """How many starts are reserved; a strict pool reserves the one that it waits for."""
    no_fit_free: set[_Fitting] = field(default_factory=set)
    """Requests that do not fit into what is free, by what advance reservations keep from them."""
    no_fit_unreserved: set[_Fitting] = field(default_factory=set)
    """The same for what is free and not reserved."""
    refused: set[tuple[WorkClass, bool]] = field(default_factory=set)
    """Work that a ceiling refuses, and whether it would backfill. Use only grows during a cycle: one
    refusal answers for all equal work."""
    never_fit: set[Request] = field(default_factory=set)
    """Requests that today's nodes could not hold even when everything has ended."""
    is_blocked: bool = False
    """Whether work that could start but for capacity has been passed: a strict queue ends there."""

    def __post_init__(self) -> None:
        """Derive the number of reservations from the queue rule."""
        self.reservations_max = 1 if self.is_strict else self.policy.backfill_depth

    @property
    def is_strict(self) -> bool:
        """Return whether nothing starts behind blocked work."""
        return self.policy.queue is QueueRule.STRICT

    def reserve(
        self, workload: PendingWorkload, ledger: Ledger, *, is_certain: bool = True
    ) -> None:
        """Reserve a start for the blocked workload, if it is one of the first and can ever fit."""
        if workload.request in self.never_fit:
            return
        if self.reservations >= self.reservations_max:
            self.is_blocked = True
            return
        if reserve_start(workload, ledger, is_certain=is_certain):
            self.is_blocked = True
            self.reservations += 1
            self.backfill_until = backfill_until(workload.pool, ledger)
        else:
            self.never_fit.add(workload.request)

    def place(self, workload: PendingWorkload, ledger: Ledger) -> tuple[Placement, ...] | None:
        """Return where the workload starts now; reserve its start if only capacity is in the way."""
        backfills = self.can_backfill(workload, ledger)
        if refusals := ledger.refusals(workload):
            if any(reason.code is not _TRANSIENT for reason in refusals):
                self.refused.add((workload.work_class, backfills))
            elif ledger.quotas.waits_for_guarantees(workload, refusals):
                self.reserve(workload, ledger, is_certain=False)
            return None
        narrowed = _narrow(workload, ledger)
        placements = self.find_placements(narrowed, ledger, backfills=backfills)
        if not placements:
            self.reserve(narrowed, ledger)
        return placements

    def can_backfill(self, workload: PendingWorkload, ledger: Ledger) -> bool:
        """Return whether the workload has left, by its limit, before anything reserved is needed."""
        return can_backfill(workload, self.backfill_until, ledger)

    def is_refused(self, workload: PendingWorkload, ledger: Ledger) -> bool:
        """Return whether equal work was refused by a ceiling."""
        return (workload.work_class, self.can_backfill(workload, ledger)) in self.refused

    def must_wait(self, workload: PendingWorkload, ledger: Ledger) -> bool:
        """Return whether it waits, as all equal work then does; looks at neither capacity nor quotas."""
        if self.is_strict:
            return self.is_blocked
        if self.reservations < self.reservations_max:
            return False
        if self.is_refused(workload, ledger):
            return True
        fitting = self._fitting(workload, ledger)
        if fitting in self.no_fit_free:
            return True
        return fitting in self.no_fit_unreserved and not self.can_backfill(workload, ledger)

    def _fitting(self, workload: PendingWorkload, ledger: Ledger) -> _Fitting:
        """Return everything that decides whether capacity is enough, beside what is free."""
        if not self.has_windows:
            return workload.request
        return workload.request, ledger.reserved.level(workload, workload.pool, ledger.now)

    def find_placements(
        self, workload: PendingWorkload, ledger: Ledger, *, backfills: bool
    ) -> tuple[Placement, ...] | None:
        """Return where the workload starts now, or None, and remember a request that did not fit."""
        fitting = self._fitting(workload, ledger)
        if fitting in self.no_fit_free or (not backfills and fitting in self.no_fit_unreserved):
            return None
        view = ledger.capacity_for(workload, workload.pool, backfills=backfills)
        placements = place_gang(workload.request, view.matrix, workload.avoid, workload.contents)
        if placements is None:
            (self.no_fit_free if backfills else self.no_fit_unreserved).add(fitting)
        return placements
