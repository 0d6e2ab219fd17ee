"""Waiting work as it will run, and running work whose time is over."""

from scheduler.core.model.entities import Millis, PendingWorkload, Placement, RunningWorkload
from scheduler.core.model.policy import OVERDUE_S


def as_running(
    workload: PendingWorkload,
    placements: tuple[Placement, ...],
    now: Millis,
    ends_by: Millis | None = None,
    around_s: int = 0,
) -> RunningWorkload:
    """Return the workload as it holds its place from now on; its ends count as if it began now.

    It ends at `ends_by` at the latest, and has left after what starting and leaving take besides. Of an
    open end nothing is known before.
    """
    limit = workload.time_limit_s
    if ends_by is not None:
        left = max(ends_by - now, 0) // 1000
        limit = left if limit is None else min(limit, left)
    expected = limit
    if limit is not None and workload.expected_s is not None:
        expected = min(workload.expected_s, limit)
    return RunningWorkload(
        id=workload.id,
        pool=workload.pool,
        group=workload.group,
        user=workload.user,
        priority=workload.priority,
        request=workload.request,
        placements=placements,
        ends_at=_after(now, limit),
        version=workload.version,
        submitted_at=workload.submitted_at,
        expected_end=_after(now, expected),
        preemptible=workload.preemptible,
        attained_gpu_s=workload.attained_gpu_s,
        time_limit_s=limit or 0,
        array=workload.array,
        leaves_by=None if limit is None or not around_s else _after(now, limit + around_s),
        traits=workload.traits,
    )


def is_overdue(work: RunningWorkload, now: Millis) -> bool:
    """Return whether the work was to have left long ago."""
    return work.leaves_by is not None and now > work.leaves_by + OVERDUE_S * 1000


def _after(now: Millis, seconds: int | None) -> Millis | None:
    return None if seconds is None else Millis(now + seconds * 1000)
