"""How many workloads each member of a group runs, against the most that the group allows."""

from scheduler.core.model.entities import GroupId, PendingWorkload, RunningWorkload, UserId
from scheduler.core.model.reasons import Reason, ReasonCode, ReasonParams
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog

_Member = tuple[UserId, GroupId]


class MemberCounters:
    """The running workloads of each member that has a counted limit; writes can be undone."""

    def __init__(self, snapshot: Snapshot, undo_log: UndoLog) -> None:
        """Copy what the snapshot counted."""
        self._undo_log = undo_log
        self._counters = {(row.user, row.group): row for row in snapshot.counters}
        self._started: dict[_Member, int] = dict.fromkeys(self._counters, 0)
        """Workloads that have started since the snapshot; ended ones count as less."""
        self._groups = {group for _, group in self._counters}

    def has_any(self, group: GroupId) -> bool:
        """Return whether any member of the group is counted."""
        return group in self._groups

    def count(self, workload: PendingWorkload | RunningWorkload, times: int) -> None:
        """Count the workload as running, or with `times=-1` no longer."""
        member = workload.user, workload.group
        if member in self._started:
            self._undo_log.write(self._started, member, self._started[member] + times)

    def refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return the counted limit that one more workload would break."""
        member = workload.user, workload.group
        counters = self._counters.get(member)
        if counters is None or counters.running_max is None:
            return ()
        running = counters.running + self._started[member]
        if running < counters.running_max:
            return ()
        params: ReasonParams = {
            "counter": "running",
            "used": running,
            "limit": counters.running_max,
        }
        return (Reason(ReasonCode.USER_COUNTER, params),)
