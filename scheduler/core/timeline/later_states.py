"""What quotas will have to hold when a reserved start happens.

A reserved start takes the place of the work that holds its devices now. So at its time that work has
left, as has all that was given notice, and the start has happened beside those before it that have not
ended. Whatever starts now and is still there then must leave room for that in every quota.
"""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import NamedTuple, Protocol

from scheduler.core.model.entities import (
    Millis,
    NodeId,
    PendingWorkload,
    Placement,
    PoolId,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.quotas.quota_book import Later, QuotaBook
from scheduler.core.timeline.node_reservation import FREE_NOW, TimePoint
from scheduler.core.timeline.pool_timeline import end_after, end_by_limit
from scheduler.core.timeline.reserved_starts import Reservation, ReservedStarts


class Site(Protocol):
    """What the states are made from: the ledger."""

    now: Millis

    @property
    def quotas(self) -> QuotaBook:
        """What is held of every quota."""

    @property
    def starts(self) -> ReservedStarts:
        """What is reserved."""

    @property
    def running_on(self) -> Mapping[NodeId, tuple[RunningWorkload, ...]]:
        """What holds something on each node."""

    @property
    def running(self) -> Mapping[WorkloadId, RunningWorkload]:
        """What runs."""

    @property
    def stopping(self) -> Mapping[WorkloadId, RunningWorkload]:
        """What has been given notice."""

    def is_leaving(self, work: RunningWorkload) -> bool:
        """Return whether the work has been given notice, and will have left in time."""

    def stays_s(self, workload: PendingWorkload) -> int | None:
        """Return how long the workload may hold its devices; None is an open end."""

    def as_running(
        self, workload: PendingWorkload, placements: tuple[Placement, ...]
    ) -> RunningWorkload:
        """Return the workload as it would hold these devices."""


class _State(NamedTuple):
    at: Millis
    """The time before which the start certainly does not come."""
    later: Later


class LaterStates:
    """The states that one decision has promised; each is made when first asked for."""

    def __init__(self, site: Site) -> None:
        """Make none yet."""
        self._site = site
        self._keys = count()
        self._known: dict[tuple[object, ...], tuple[_State, ...]] = {}

    def clear(self) -> None:
        """Forget all: another decision begins."""
        self._known.clear()

    def beside(self, workload: PendingWorkload) -> list[Later]:
        """Return the states that the workload would still be there to see, if it started now."""
        starts = self._site.starts
        if not starts or not self._site.quotas.may_refuse(workload):
            return []
        until = end_after(FREE_NOW, self._site.stays_s(workload), self._site.now)
        own = workload.id if starts.find(workload.id, workload.pool) else None
        return [state.later for state in self._states(workload.pool, own) if state.at < until]

    def at_start_of(self, reservation: Reservation, *, is_exact: bool = False) -> Later:
        """Return the state into which a reserved start itself comes; exactly, all that ends by then has left.

        Otherwise only the work that makes room for it has.
        """
        at = max(reservation.start.at, reservation.promised_for)
        others = [
            each
            for each in self._active_with(reservation)
            if each is not reservation and not (each.is_cleared and each.promised_for > at)
        ]
        later = self._later(others, (*others, reservation))._replace(is_asked_then=True)
        if not is_exact:
            return later
        ended = [work for work in self._site.running.values() if end_by_limit(work) <= at]
        return later._replace(
            left=tuple({work.id: work for work in (*later.left, *ended)}.values())
        )

    def _states(self, pool: PoolId, but: WorkloadId | None) -> tuple[_State, ...]:
        """Return the states of a pool's starts, without one that asks.

        What is cleared keeps its quotas from the work of all pools, a reservation from that of its own
        pool only: work that waits for GPUs must not stop its group's notebooks elsewhere.
        """
        starts, now = self._site.starts, self._site.now
        key = (starts.state, self._site.quotas.state, pool, but)
        if key not in self._known:
            cleared = [each for each in starts.cleared.values() if each.workload.id != but]
            found = [_State(now, self._later(cleared, cleared))] if cleared else []
            for each in starts.by_pool.get(pool, ()):
                if each.keeps_quotas and each.workload.id != but:
                    others = [one for one in self._active_with(each) if one.workload.id != but]
                    found.append(_State(each.start.certain_at(now), self._later(others, others)))
            self._known[key] = tuple(found)
        return self._known[key]

    def _active_with(self, reservation: Reservation) -> list[Reservation]:
        """Return the starts that have happened and not ended when this one happens, itself included."""
        at, starts = reservation.start.at, self._site.starts
        return [
            *starts.cleared.values(),
            *(
                each
                for each in starts.by_pool.get(reservation.workload.pool, ())
                if each is reservation
                or (each.keeps_quotas and each.start.at <= at < self._ends(each))
            ),
        ]

    def _ends(self, reservation: Reservation) -> TimePoint:
        stays_s = self._site.stays_s(reservation.workload)
        return end_after(reservation.start.at, stays_s, self._site.now)

    def _later(self, started: Iterable[Reservation], counted_on: Iterable[Reservation]) -> Later:
        """Return the state in which these have started, on the devices that others held before."""
        site = self._site
        left = {work.id: work for work in site.stopping.values() if site.is_leaving(work)}
        for each in counted_on:
            for node, _ in each.start.nodes if not each.is_cleared else ():
                for work in site.running_on.get(node, ()):
                    if each.uses_devices_of(work):
                        left[work.id] = work
        running = (site.as_running(each.workload, each.placements()) for each in started)
        return Later(next(self._keys), tuple(left.values()), tuple(running))
