"""How many tasks of each job array run, against the most that the array allows at once.

Slurm: the `%` of `sbatch --array=0-999%50`, ArrayTaskThrottle.
"""

from collections import Counter

from scheduler.core.model.entities import ArrayId, PendingWorkload, RunningWorkload
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog


class ArrayCounters:
    """The running tasks of each array that limits them; writes can be undone."""

    def __init__(self, snapshot: Snapshot, undo_log: UndoLog) -> None:
        """Count what runs, tasks that are being stopped included."""
        self._undo_log = undo_log
        self._limits = {array.id: array.running_max for array in snapshot.arrays}
        running = Counter(work.array for work in snapshot.running if work.array in self._limits)
        self._running = {array: running[array] for array in self._limits}

    def limited(self, workload: PendingWorkload) -> ArrayId | None:
        """Return the array of the workload, if it limits its tasks."""
        return workload.array if workload.array in self._limits else None

    def count(self, workload: PendingWorkload | RunningWorkload, times: int) -> None:
        """Count the workload as running, or with `times=-1` no longer."""
        array = workload.array
        if array is not None and array in self._running:
            self._undo_log.write(self._running, array, self._running[array] + times)

    def refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return the limit that one more task would break."""
        array = workload.array
        if array is None or array not in self._limits:
            return ()
        running = self._running[array]
        if running < self._limits[array]:
            return ()
        params = {"used": running, "limit": self._limits[array]}
        return (Reason(ReasonCode.ARRAY_TASK_LIMIT, params),)
