"""Job order: how a pool ranks the work of one member with equal priority.

A pool's policy chooses age, shortest first, or least served first (`JobOrder`).

*Shortest first* finishes most work soonest, but alone it would never start long work while short
work keeps coming. Therefore each workload is ranked as if it had been submitted later by the time
that it is expected to take on one card, times the pool's `stretch`, but never by more than the
pool's `patience_s`, which is what an open end counts as. Work submitted later than that cannot
overtake it, and the order of two waiting workloads never changes. So each wait is bounded in
proportion to the work's own length.

*Least served first* needs no run times: work that has had little GPU time is most likely short
(least attained service, as in Tiresias: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed
Deep Learning", NSDI 2019). Service is compared in levels that double, so that work does not change
places with every second; inside a level the oldest goes first.
"""

from functools import lru_cache
from typing import Final

from scheduler.core.model.entities import Millis, PendingWorkload, Request, RunningWorkload
from scheduler.core.model.policy import JobOrder, PoolPolicy

JobRank = tuple[int, int]
"""The smallest goes first."""

FIRST_LEVEL_GPU_S: Final = 60
"""GPU-seconds after which work leaves the first level; each next level is twice as long."""


def rank_waiting(workload: PendingWorkload, policy: PoolPolicy) -> JobRank:
    """Return the rank of waiting work among its member's work of equal priority."""
    if policy.order is JobOrder.LEAST_SERVED:
        return service_level(workload.attained_gpu_s), workload.submitted_at
    if policy.order is JobOrder.SHORTEST:
        gpu_ms = expected_gpu_ms(workload)
        delay_ms = policy.patience_s * 1000 if gpu_ms is None else _delay_ms(gpu_ms, policy)
        return 0, workload.submitted_at + delay_ms
    return 0, workload.submitted_at


def rank_running(work: RunningWorkload, policy: PoolPolicy, now: Millis) -> JobRank:
    """Return the rank that running work would have, if it waited now with what it has left."""
    if policy.order is JobOrder.LEAST_SERVED:
        return service_level(attained_service(work, now)), work.submitted_at
    if policy.order is JobOrder.SHORTEST:
        if work.is_open_ended:
            return 0, work.submitted_at + policy.patience_s * 1000
        end = work.ends_at if work.expected_end is None else work.expected_end
        left = 0 if end is None else max(end - now, 0) * _gpu_milli(work.request) // 1000
        return 0, work.submitted_at + _delay_ms(left, policy)
    return 0, work.submitted_at


def _delay_ms(gpu_ms: int, policy: PoolPolicy) -> int:
    """Return by how much later the work is ranked than it was submitted."""
    return min(gpu_ms * policy.stretch, policy.patience_s * 1000)


def service_level(gpu_s: int) -> int:
    """Return the level of work that has had so many GPU-seconds: 0, one more for each doubling."""
    return (gpu_s // FIRST_LEVEL_GPU_S).bit_length()


def attained_service(work: RunningWorkload, now: Millis) -> int:
    """Return the GPU-seconds that the work has had in all its attempts; a share counts in part."""
    if work.started_at is None:
        return work.attained_gpu_s
    return work.attained_gpu_s + (now - work.started_at) * _gpu_milli(work.request) // 1_000_000


def expected_gpu_ms(workload: PendingWorkload) -> int | None:
    """Return how many milliseconds of one GPU the workload is expected to take, times 1000.

    Work without cards counts as a thousandth of a GPU. None: its end is open.
    """
    if workload.time_limit_s is None:
        return None
    seconds = workload.time_limit_s if workload.expected_s is None else workload.expected_s
    return min(seconds, workload.time_limit_s) * _gpu_milli(workload.request)


@lru_cache(maxsize=1024)
def _gpu_milli(request: Request) -> int:
    # A slice counts as an eighth whatever the pool's cut: ranks need no more, and no pool.
    milli = request.gpus * 1000 + request.slices * 125 + request.gpu_milli
    return max(milli, 1) * request.replicas
