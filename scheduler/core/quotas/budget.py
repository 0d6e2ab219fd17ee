"""GPU-hour budgets with the safe start: work starts only if it can finish inside the budget.

Counted are what was used, what running work may still use until its time limit or the end of the
period, and what the new work may use by the same rule. Internally amounts are thousandths of a
GPU-second; reasons give whole GPU-seconds, rounded up.
Source: Slurm's `GrpTRESMins` with `AccountingStorageEnforce=safe`.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from scheduler.core.model.entities import (
    BudgetView,
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    PoolView,
    RunningWorkload,
    gpu_milli_per_replica,
)
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.group_tree import GroupPath, group_paths

_Row = tuple[int, BudgetView]
"""A budget and its place in the snapshot: one group may have several, of other periods."""


class BudgetBalance(NamedTuple):
    """What is used and committed of a budget, in whole GPU-seconds, rounded up."""

    used: int
    promised: int
    """What running work may still use until its time limit or the end of the period."""


class BudgetBook:
    """Every budget with what is used of it and committed to running work."""

    def __init__(self, snapshot: Snapshot, undo_log: UndoLog) -> None:
        """Commit what running work may still use; all later writes go through the undo log."""
        self._undo_log = undo_log
        self._pools: Mapping[PoolId, PoolView] = {pool.id: pool for pool in snapshot.pools}
        self._paths = group_paths(snapshot)
        self._names = {group.id: group.name for group in snapshot.groups}
        self._rows: dict[GroupId, list[_Row]] = defaultdict(list)
        rows = list(enumerate(snapshot.budgets))
        for number, row in sorted(rows, key=lambda item: (item[1].pool or "", item[1].ends_at)):
            self._rows[row.group].append((number, row))
        self._used = {number: row.used * 1000 for number, row in rows}
        self._committed = dict.fromkeys(self._used, 0)
        self.now = snapshot.taken_at
        for run in snapshot.running if snapshot.budgets else ():
            self.commit(run, run.ends_at)

    @property
    def has_any(self) -> bool:
        """Return whether there is any budget at all."""
        return bool(self._used)

    def refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every budget in which the workload might not finish."""
        return tuple(reason for reason, _ in self.refusing(workload))

    def refusing(self, workload: PendingWorkload) -> tuple[tuple[Reason, BudgetView], ...]:
        """Return the same with the budgets themselves."""
        if not self._used:
            return ()
        ends = Millis(self.now + workload.time_limit_s * 1000)
        return tuple(
            (self._reason((number, row), most), row)
            for number, row in self._rows_over(workload)
            if (most := self._most(workload, row, ends))
            and self._used[number] + self._committed[number] + most > row.limit * 1000
        )

    def committed_to(self, budget: BudgetView, work: RunningWorkload) -> int:
        """Return the GPU-seconds that running work may still use of a budget, rounded up."""
        if not any(row is budget for _, row in self._rows_over(work)):
            return 0
        ends = budget.ends_at if work.ends_at is None else work.ends_at
        return -(-self._most(work, budget, ends) // 1000)

    def longest_s(self, workload: PendingWorkload) -> int | None:
        """Return for how long the workload could run inside every budget; None is any time."""
        gpu_milli = self._gpu_milli(workload)
        left = [
            (row.limit * 1000 - self._used[number] - self._committed[number]) // gpu_milli
            for number, row in (self._rows_over(workload) if gpu_milli else ())
        ]
        return max(min(left), 0) if left else None

    def renewed_at(self, workload: PendingWorkload) -> Millis | None:
        """Return when every budget that refuses the workload has begun anew; None if that is too small."""
        gpu_milli_s = self._gpu_milli(workload) * workload.time_limit_s
        ends = Millis(self.now + workload.time_limit_s * 1000)
        renewed = self.now
        for number, row in self._rows_over(workload):
            most = self._most(workload, row, ends)
            if self._used[number] + self._committed[number] + most <= row.limit * 1000:
                continue
            if gpu_milli_s > row.limit * 1000:
                return None
            renewed = max(renewed, row.ends_at)
        return renewed

    def permanent_refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every budget of zero; a small one may suffice for work that starts late in it."""
        gpu_milli = self._gpu_milli(workload)
        return tuple(
            Reason(ReasonCode.NO_BUDGET, self._named(row))
            for _, row in self._rows_over(workload)
            if gpu_milli and row.limit == 0
        )

    def commit(
        self, work: PendingWorkload | RunningWorkload, ends: Millis | None, times: int = 1
    ) -> None:
        """Set aside what the work may use until it ends; None, not known, is the whole period."""
        if not self._used:
            return
        for number, row in self._rows_over(work):
            most = self._most(work, row, row.ends_at if ends is None else ends)
            self._undo_log.write(self._committed, number, self._committed[number] + most * times)

    def uses(self) -> tuple[BudgetBalance, ...]:
        """Return what is used and committed of every budget, in the order of the snapshot."""
        return tuple(self._spent(number) for number in self._used)

    def _rows_over(self, work: PendingWorkload | RunningWorkload) -> list[_Row]:
        """Return the budgets that have not ended, from the root down to the work's own group."""
        path: GroupPath = self._paths.get(work.group, (work.group,))
        return [
            (number, row)
            for group in path
            for number, row in self._rows.get(group, ())
            if row.pool in {None, work.pool} and row.ends_at > self.now
        ]

    def _most(self, work: PendingWorkload | RunningWorkload, row: BudgetView, ends: Millis) -> int:
        """Return what the work may use of the budget from now to its end, in milli-GPU-seconds."""
        gpu_milli = self._gpu_milli(work)
        seconds = -(-max(min(ends, row.ends_at) - self.now, 0) // 1000)
        return gpu_milli * seconds

    def _gpu_milli(self, work: PendingWorkload | RunningWorkload) -> int:
        one = gpu_milli_per_replica(work.request, self._pools[work.pool])
        return one * work.request.replicas

    def _spent(self, number: int) -> BudgetBalance:
        return BudgetBalance(-(-self._used[number] // 1000), -(-self._committed[number] // 1000))

    def _reason(self, budget: _Row, most: int) -> Reason:
        number, row = budget
        return Reason(
            ReasonCode.QUOTA_BUDGET,
            {
                **self._named(row),
                **self._spent(number)._asdict(),
                "requested": -(-most // 1000),
                "limit": row.limit,
            },
        )

    def _named(self, row: BudgetView) -> dict[str, int | str]:
        return {
            "group": self._names.get(row.group, row.group),
            "pool": self._pools[row.pool].name if row.pool else "",
        }
