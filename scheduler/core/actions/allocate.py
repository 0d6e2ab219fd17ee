"""Start what fits, in queue order; promise a start to what does not; let pass what harms nobody."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, Placement, Request
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.policy import PoolPolicy, QueueRule
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.reservation.reservations import backfill_until, reserve_start

_MAY_PASS: Final = ReasonCode.OVER_DESERVED_NOT_LENDABLE
"""The only refusal that may be over before the cycle is: others have filled what is kept for them."""


def allocate_waiting(queue: Iterable[PendingWorkload], ledger: Ledger) -> tuple[PlannedStart, ...]:
    """Place every workload that may start and fits, and does not delay a promised start.

    The first `backfill_depth` blocked workloads of each pool are promised a start. Behind them
    may pass what ends before the promise by its time limit, or what uses only the rest; in a
    strict pool, nothing. A workload that its quota or its owner holds blocks nobody.

    Capacity only shrinks during a cycle, so a shape that did not fit once is not tried again: a
    queue of thousands costs as much as its different shapes. Nor does use go down: who has met a
    ceiling once has met it for everybody like him.
    """
    lines = {pool.id: _PoolScan(pool.policy) for pool in ledger.pools.values() if pool.is_open}
    places = []
    refused: set[tuple[object, ...]] = set()
    for workload in queue:
        line = lines.get(workload.pool)
        if line is None or workload.held or line.is_shut(workload, ledger.now):
            continue
        passes = line.lets_pass(workload, ledger.now)
        if (alike := _quota_key(workload, passes=passes)) in refused:
            continue
        first = None if passes else ledger.first_blocked.get(workload.pool)
        if refusals := ledger.quotas.refusals(workload, beside=first):
            if any(reason.code is not _MAY_PASS for reason in refusals):
                refused.add(alike)
            elif ledger.quotas.waits_for_guarantees(workload, refusals):
                line.promise(workload, ledger)
            continue
        placements = line.find(workload, ledger, passes=passes)
        if placements:
            ledger.allocate(workload, placements)
            places.append(PlannedStart(workload.id, workload.version, placements))
        else:
            line.promise(workload, ledger)
    return tuple(places)


def _quota_key(workload: PendingWorkload, *, passes: bool) -> tuple[object, ...]:
    """Return what a refusal that lasts depends on."""
    return (
        workload.pool,
        workload.group,
        workload.user,
        workload.request,
        workload.preemptible,
        workload.time_limit_s,
        passes,
    )


@dataclass(slots=True)
class _PoolScan:
    """What is known, on the way through the queue, of one pool."""

    policy: PoolPolicy
    depth: int = field(init=False)
    """How many starts are promised; a strict pool promises the one that it waits for."""
    promises: int = 0
    sure: Millis | None = None
    """Until when room that is kept may be used; None: no room is kept."""
    full: set[Request] = field(default_factory=set)
    """Shapes that do not fit into what is free."""
    crowded: set[Request] = field(default_factory=set)
    """Shapes that do not fit into what is open."""
    hopeless: set[Request] = field(default_factory=set)
    """Shapes that the nodes of today never have room for."""

    def __post_init__(self) -> None:
        """Work out once what every workload of the queue is asked about."""
        is_strict = self.policy.queue is QueueRule.STRICT
        self.depth = 1 if is_strict else self.policy.backfill_depth

    def promise(self, workload: PendingWorkload, ledger: Ledger) -> None:
        """Promise the blocked workload a start, if it is one of the first and the pool can."""
        if self.promises >= self.depth or workload.request in self.hopeless:
            return
        if reserve_start(workload, ledger):
            self.promises += 1
            self.sure = backfill_until(workload.pool, ledger)
        else:
            self.hopeless.add(workload.request)

    def lets_pass(self, workload: PendingWorkload, now: Millis) -> bool:
        """Tell whether the workload ends, by its limit, before anything kept is needed."""
        return self.sure is None or now + workload.time_limit_s * 1000 <= self.sure

    def is_shut(self, workload: PendingWorkload, now: Millis) -> bool:
        """Tell, without looking at rooms or quotas, whether the workload waits in any case."""
        if self.promises < self.depth:
            return False
        if self.policy.queue is QueueRule.STRICT or workload.request in self.full:
            return True
        return workload.request in self.crowded and not self.lets_pass(workload, now)

    def find(
        self, workload: PendingWorkload, ledger: Ledger, *, passes: bool
    ) -> tuple[Placement, ...] | None:
        """Return where it starts now, or None, and remember the shape that did not fit."""
        request = workload.request
        if request in self.full or (not passes and request in self.crowded):
            return None
        view = ledger.free if passes else ledger.unreserved
        placements = place_gang(request, view[workload.pool].matrix, workload.avoid)
        if placements is None:
            (self.full if passes else self.crowded).add(request)
        return placements
