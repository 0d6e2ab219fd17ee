"""Who goes first: a total and stable order of everything that waits."""

from collections.abc import Iterable

from scheduler.core.entities import Millis, PendingWorkload, WorkloadId


def in_queue_order(pending: Iterable[PendingWorkload]) -> tuple[PendingWorkload, ...]:
    """Order by priority, then by age, then by id, so that no two workloads ever tie."""
    return tuple(sorted(pending, key=_rank))


def _rank(workload: PendingWorkload) -> tuple[int, Millis, WorkloadId]:
    return -workload.priority, workload.submitted_at, workload.id
