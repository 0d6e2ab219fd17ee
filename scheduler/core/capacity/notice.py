"""When work must leave devices that are needed at a known moment: one rule for starts and for evictions.

Before such an edge, a window that opens or the end of the one that work is inside, preemptible work is
given notice, `leaving_s` early. It starts before the edge only if it can stay until its notice for at
least as long as a start is left alone: so no start leads into an eviction that is certain already, and
what was given notice does not come back before the edge is over.
"""

from typing import Final

from scheduler.core.model.advance_reservations import ReservedWindow
from scheduler.core.model.entities import Millis, PendingWorkload
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.work_traits import EvictAs

START_MARGIN_S: Final = 120
"""What starting and stopping may take beyond a time limit; work leaves so long before a window."""
CLEAR_MARGIN_S: Final = 30
"""Work that is evicted for a window is stopped so long before it."""
OVERRUN_S: Final = 300
"""A job that may not be evicted starts inside if its time limit ends at most so long after the window,
where it is stopped (Slurm: `ResvOverRun`)."""


def leaving_s(policy: PoolPolicy) -> int:
    """Return how long before an edge work of a pool is given notice."""
    return policy.grace_s + CLEAR_MARGIN_S


def is_notice_due(edge: Millis, policy: PoolPolicy, now: Millis) -> bool:
    """Return whether preemptible work that is in the way at the edge is instructed to leave by now."""
    return now >= edge - leaving_s(policy) * 1000


def left_alone_s(workload: PendingWorkload, policy: PoolPolicy) -> int:
    """Return how long a start is left alone: its protected run time, or all of it if that is shorter."""
    if workload.time_limit_s is None:
        return policy.min_runtime_s
    return min(workload.time_limit_s, policy.min_runtime_s)


def stay_s(workload: PendingWorkload, policy: PoolPolicy) -> int | None:
    """Return for how long a device must be its own, if it starts in a pool with this policy; None is permanent.

    Preemptible work leaves in time for a window. Guaranteed work is kept from that, because inside a
    guarantee it is never evicted.
    """
    if workload.preemptible and not workload.traits.guaranteed:
        return left_alone_s(workload, policy) + leaving_s(policy)
    return None if workload.time_limit_s is None else workload.time_limit_s + START_MARGIN_S


def fits_in_window(
    workload: PendingWorkload, policy: PoolPolicy, starts: Millis, window: ReservedWindow
) -> bool:
    """Return whether the workload may start inside a window: it can stay a while, and leaves with it.

    What cannot be evicted gets no notice: it stays to the end, in a short window for half of it at least.
    """
    alone_ms = left_alone_s(workload, policy) * 1000
    if workload.preemptible:
        return starts + alone_ms <= window.end - leaving_s(policy) * 1000
    if starts + min(alone_ms, (window.end - window.start) // 2) > window.end:
        return False
    if workload.traits.evict_as is EvictAs.SUSPENDED:
        return True
    limit_s = workload.time_limit_s
    return limit_s is not None and starts + limit_s * 1000 <= window.end + OVERRUN_S * 1000
