"""Card-hour budgets with the safe start: work starts only if it can finish inside the budget.

Counted are what was used, what running work may still use until its time limit or the end of the
period, and what the new work may use by the same rule. Inside, everything is in thousandths of a
card-second; reasons speak of whole card-seconds, rounded against the workload.
Source: Slurm's `GrpTRESMins` with the flag `safe`.
"""

from collections import defaultdict
from collections.abc import Mapping

from scheduler.core.entities import (
    BudgetView,
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    PoolView,
    RunningWorkload,
)
from scheduler.core.journal import Journal
from scheduler.core.reasons import Reason, ReasonCode
from scheduler.core.shares import Path, paths_of, total_demand
from scheduler.core.snapshot import Snapshot

_Row = tuple[GroupId, PoolId | None]


class BudgetBook:
    """Every budget with what is used of it and promised to running work."""

    def __init__(self, snapshot: Snapshot, journal: Journal) -> None:
        """Count what runs as promised until its end; all later writes go through the journal."""
        self._journal = journal
        self._pools: Mapping[PoolId, PoolView] = {pool.id: pool for pool in snapshot.pools}
        self._paths = paths_of(snapshot)
        self._names = {group.id: group.name for group in snapshot.groups}
        self._rows: dict[GroupId, list[BudgetView]] = defaultdict(list)
        for row in sorted(snapshot.budgets, key=lambda row: (row.pool or "", row.ends_at)):
            self._rows[row.group].append(row)
        self._used = {_key(row): row.used * 1000 for row in snapshot.budgets}
        self._promised = dict.fromkeys(self._used, 0)
        self.now = snapshot.taken_at
        for run in snapshot.running if snapshot.budgets else ():
            self.promise(run, run.ends_at)

    @property
    def has_any(self) -> bool:
        """Tell whether there is any budget at all."""
        return bool(self._used)

    def refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every budget in which the workload might not finish."""
        if not self._used:
            return ()
        ends = Millis(self.now + workload.time_limit_s * 1000)
        return tuple(
            self._reason(row, most)
            for row in self._rows_over(workload)
            if (most := self._most(workload, row, ends))
            and self._used[_key(row)] + self._promised[_key(row)] + most > row.limit * 1000
        )

    def impossible(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every budget of nothing; a small one may do for work that starts late in it."""
        cards = total_demand(workload, self._pools[workload.pool]).gpu
        return tuple(
            self._reason(row, cards * workload.time_limit_s)
            for row in self._rows_over(workload)
            if cards and row.limit == 0
        )

    def promise(
        self, work: PendingWorkload | RunningWorkload, ends: Millis | None, times: int = 1
    ) -> None:
        """Set aside what the work may use until it ends; None is not known: the whole period."""
        for row in self._rows_over(work):
            most = self._most(work, row, row.ends_at if ends is None else ends)
            key = _key(row)
            self._journal.write(self._promised, key, self._promised[key] + most * times)

    def _rows_over(self, work: PendingWorkload | RunningWorkload) -> list[BudgetView]:
        """Return the budgets that have not ended, from the root down to the work's own group."""
        path: Path = self._paths.get(work.group, (work.group,))
        return [
            row
            for group in path
            for row in self._rows.get(group, ())
            if row.pool in {None, work.pool} and row.ends_at > self.now
        ]

    def _most(self, work: PendingWorkload | RunningWorkload, row: BudgetView, ends: Millis) -> int:
        """Return what the work may use of the budget from now to its end, in milli-card-seconds."""
        cards = total_demand(work, self._pools[work.pool]).gpu
        seconds = -(-max(min(ends, row.ends_at) - self.now, 0) // 1000)
        return cards * seconds

    def _reason(self, row: BudgetView, most: int) -> Reason:
        return Reason(
            ReasonCode.QUOTA_BUDGET,
            {
                "group": self._names.get(row.group, row.group),
                "pool": self._pools[row.pool].name if row.pool else "",
                "used": -(-self._used[_key(row)] // 1000),
                "promised": -(-self._promised[_key(row)] // 1000),
                "requested": -(-most // 1000),
                "limit": row.limit,
            },
        )


def _key(row: BudgetView) -> _Row:
    return row.group, row.pool
