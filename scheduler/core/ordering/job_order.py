"""Order hints: how run times order the work of one member that priority leaves equal.

The hint of a pool is age, shortest first, or least served first.

Shortest first finishes most work soonest, but alone it would never start long work while short work
keeps coming. Therefore work stands in the line as if it had come later by what it is expected to
take on one card, times the pool's `stretch`, but never by more than the pool's patience: whatever
comes later than that cannot pass it, and the order of two waiting workloads never changes. So what
waits is bounded by its own length: a slowdown, not a delay, is shared fairly.

Least served first needs no run times (least attained service, as in Tiresias): work that has had
little card time is most likely short. The levels double, so that work which has had much keeps its
place for long, and inside a level the oldest goes first.
"""

from functools import lru_cache
from typing import Final

from scheduler.core.model.entities import Millis, PendingWorkload, Request, RunningWorkload
from scheduler.core.model.policy import JobOrder, PoolPolicy

JobRank = tuple[int, int]
"""The least goes first."""

FIRST_LEVEL_GPU_S: Final = 60
"""Card-seconds after which work leaves the first level; each next level is twice as long."""


def rank_waiting(workload: PendingWorkload, policy: PoolPolicy) -> JobRank:
    """Return the rank of waiting work among its owner's work of equal priority."""
    if policy.order is JobOrder.LEAST_SERVED:
        return service_level(workload.attained_gpu_s), workload.submitted_at
    if policy.order is JobOrder.SHORTEST:
        return 0, workload.submitted_at + _later(expected_gpu_ms(workload), policy)
    return 0, workload.submitted_at


def rank_running(work: RunningWorkload, policy: PoolPolicy, now: Millis) -> JobRank:
    """Return the rank that running work would have, if it waited now with what it has left."""
    if policy.order is JobOrder.LEAST_SERVED:
        return service_level(attained_service(work, now)), work.submitted_at
    if policy.order is JobOrder.SHORTEST:
        end = work.ends_at if work.expected_end is None else work.expected_end
        left = 0 if end is None else max(end - now, 0) * _gpu_milli(work.request) // 1000
        return 0, work.submitted_at + _later(left, policy)
    return 0, work.submitted_at


def _later(card_ms: int, policy: PoolPolicy) -> int:
    return min(card_ms * policy.stretch, policy.patience_s * 1000)


def service_level(card_seconds_had: int) -> int:
    """Return the level of work that has had so much: 0, and one more for each doubling."""
    return (card_seconds_had // FIRST_LEVEL_GPU_S).bit_length()


def attained_service(work: RunningWorkload, now: Millis) -> int:
    """Return the card-seconds that the work has had in all its attempts; a share counts as its part."""
    if work.started_at is None:
        return work.attained_gpu_s
    return work.attained_gpu_s + (now - work.started_at) * _gpu_milli(work.request) // 1_000_000


def expected_gpu_ms(workload: PendingWorkload) -> int:
    """Return how many milliseconds of one card the workload is expected to take.

    Work without cards counts as a thousandth of one.
    """
    seconds = workload.time_limit_s if workload.expected_s is None else workload.expected_s
    return min(seconds, workload.time_limit_s) * _gpu_milli(workload.request)


@lru_cache(maxsize=1024)
def _gpu_milli(request: Request) -> int:
    milli = request.gpus * 1000 + request.slices * 125 + request.gpu_milli
    return max(milli, 1) * request.replicas
