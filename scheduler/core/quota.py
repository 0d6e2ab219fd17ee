"""Tree arithmetic of quotas: what a group may hold, its ancestors may hold, its members may hold."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from scheduler.core.entities import (
    GroupId,
    PendingWorkload,
    PoolId,
    QuotaView,
    RunningWorkload,
    UserCounters,
    UserId,
    demand,
)
from scheduler.core.journal import Journal
from scheduler.core.reasons import Params, Reason, ReasonCode
from scheduler.core.resources import Resource, Resources
from scheduler.core.snapshot import Snapshot

_Row = tuple[GroupId, PoolId | None, Resource]
Workload = PendingWorkload | RunningWorkload


@dataclass(frozen=True, slots=True)
class _Limit:
    """One ceiling, of a group or of one member, against what a workload asks for."""

    code: ReasonCode
    row: QuotaView
    used: int
    requested: int
    most: int

    @property
    def is_broken(self) -> bool:
        """Tell whether the request does not fit above what is used."""
        return self.used + self.requested > self.most


class QuotaBook:
    """Every quota row with its use, writable during one cycle.

    A workload must fit under the rows of its group and of every ancestor, each for its pool and
    for all pools together. A request of nothing is never refused: a group that is over its
    ceiling of cards may still start work without cards.
    """

    def __init__(self, snapshot: Snapshot, journal: Journal) -> None:
        """Copy what the snapshot counted; all later writes go through the journal."""
        self._journal = journal
        self._pools = {pool.id: pool for pool in snapshot.pools}
        self._groups = {group.id: group for group in snapshot.groups}
        self._rows: dict[GroupId, list[QuotaView]] = defaultdict(list)
        for row in sorted(snapshot.quotas, key=_place_in_line):
            self._rows[row.group].append(row)
        self._used = {_key(row): row.used for row in snapshot.quotas}
        self._used_by = {
            (use.user, (use.group, use.pool, use.resource)): use.used for use in snapshot.user_use
        }
        self._counters: dict[tuple[UserId, GroupId], UserCounters] = {
            (counters.user, counters.group): counters for counters in snapshot.counters
        }
        self._started = dict.fromkeys(self._counters, 0)

    def refusals(
        self, workload: PendingWorkload, *, beside: PendingWorkload | None = None
    ) -> tuple[Reason, ...]:
        """Return every limit that starting the workload now would break.

        `beside` is waiting work whose start must stay possible: it counts as if it ran.
        """
        if beside is None:
            limits = self._limits(workload)
            broken = [self._reason(limit) for limit in limits if limit.is_broken]
            return (*broken, *self._counter_refusals(workload))
        mark = self._journal.mark()
        self.charge(beside)
        refusals = self.refusals(workload)
        self._journal.undo(mark)
        return refusals

    def impossible(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every limit that the workload would break even if nobody held anything."""
        limits = self._limits(workload)
        return tuple(self._reason(limit) for limit in limits if limit.requested > limit.most)

    def rows(self) -> tuple[QuotaView, ...]:
        """Return every quota with what is used of it now."""
        return tuple(self._counted(row) for rows in self._rows.values() for row in rows)

    def rows_over(self, workload: Workload) -> tuple[QuotaView, ...]:
        """Return the quotas that count the workload, from the root down, with their use now."""
        return tuple(self._counted(row) for row in self._rows_over(workload))

    def charge(self, workload: Workload) -> None:
        """Count the whole workload as held by its user and group, under every ancestor."""
        self._count(workload, 1)

    def refund(self, workload: Workload) -> None:
        """Take back what `charge`, or the snapshot, counted for this workload."""
        self._count(workload, -1)

    def _counted(self, row: QuotaView) -> QuotaView:
        used = self._used[_key(row)]
        return row if row.used == used else replace(row, used=used)

    def _count(self, workload: Workload, times: int) -> None:
        amount = self._cost(workload)
        for row in self._rows_over(workload):
            requested = amount.get(row.resource) * times
            self._journal.write(self._used, _key(row), self._used[_key(row)] + requested)
            holder = (workload.user, _key(row))
            self._journal.write(self._used_by, holder, self._used_by.get(holder, 0) + requested)
        member = (workload.user, workload.group)
        if member in self._started:
            self._journal.write(self._started, member, self._started[member] + times)

    def _rows_over(self, workload: Workload) -> list[QuotaView]:
        """Return the rows from the root down to the workload's own group."""
        return [
            row
            for group in self._groups[workload.group].path
            for row in self._rows.get(group, ())
            if row.pool in {None, workload.pool}
        ]

    def _limits(self, workload: PendingWorkload) -> Iterator[_Limit]:
        """Yield every finite limit on something that the workload asks for."""
        amount = self._cost(workload)
        for row in self._rows_over(workload):
            key, requested = _key(row), amount.get(row.resource)
            if requested == 0:
                continue
            if row.ceiling is not None:
                used = self._used[key]
                yield _Limit(ReasonCode.QUOTA_CEILING, row, used, requested, row.ceiling)
            if row.user_ceiling is not None:
                used = self._used_by.get((workload.user, key), 0)
                yield _Limit(ReasonCode.QUOTA_USER_CEILING, row, used, requested, row.user_ceiling)

    def _cost(self, workload: Workload) -> Resources:
        """Return what all replicas cost together."""
        request = workload.request
        return demand(request, self._pools[workload.pool]).times(request.replicas)

    def _reason(self, limit: _Limit) -> Reason:
        row = limit.row
        params: Params = {
            "group": self._groups[row.group].name,
            "pool": self._pools[row.pool].name if row.pool else "",
            "resource": row.resource.value,
            "used": limit.used,
            "requested": limit.requested,
            "limit": limit.most,
        }
        return Reason(limit.code, params)

    def _counter_refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        member = (workload.user, workload.group)
        counters = self._counters.get(member)
        if counters is None or counters.running_max is None:
            return ()
        running = counters.running + self._started[member]
        if running < counters.running_max:
            return ()
        params: Params = {"counter": "running", "used": running, "limit": counters.running_max}
        return (Reason(ReasonCode.USER_COUNTER, params),)


def _key(row: QuotaView) -> _Row:
    return row.group, row.pool, row.resource


def _place_in_line(row: QuotaView) -> tuple[str, str]:
    """Order the rows of a group: all pools together first, then by pool and resource."""
    return row.pool or "", row.resource
