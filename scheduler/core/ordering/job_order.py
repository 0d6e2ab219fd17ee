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
from scheduler.core.model.policy import OrderHint, PoolPolicy

Hint = tuple[int, int]
"""The least goes first."""

FIRST_LEVEL: Final = 60
"""Card-seconds after which work leaves the first level; each next level is twice as long."""


def hint_of(workload: PendingWorkload, policy: PoolPolicy) -> Hint:
    """Return the rank of waiting work among its owner's work of equal priority."""
    if policy.order is OrderHint.LEAST_SERVED:
        return level(workload.attained), workload.submitted_at
    if policy.order is OrderHint.SHORTEST:
        return 0, workload.submitted_at + _later(card_millis(workload), policy)
    return 0, workload.submitted_at


def hint_of_running(work: RunningWorkload, policy: PoolPolicy, now: Millis) -> Hint:
    """Return the rank that running work would have, if it waited now with what it has left."""
    if policy.order is OrderHint.LEAST_SERVED:
        return level(served(work, now)), work.submitted_at
    if policy.order is OrderHint.SHORTEST:
        end = work.ends_at if work.expected_end is None else work.expected_end
        left = 0 if end is None else max(end - now, 0) * _milli_cards(work.request) // 1000
        return 0, work.submitted_at + _later(left, policy)
    return 0, work.submitted_at


def _later(card_ms: int, policy: PoolPolicy) -> int:
    return min(card_ms * policy.stretch, policy.patience_s * 1000)


def level(card_seconds_had: int) -> int:
    """Return the level of work that has had so much: 0, and one more for each doubling."""
    return (card_seconds_had // FIRST_LEVEL).bit_length()


def served(work: RunningWorkload, now: Millis) -> int:
    """Return the card-seconds that the work has had in all its attempts; a share counts as its part."""
    if work.started_at is None:
        return work.attained
    return work.attained + (now - work.started_at) * _milli_cards(work.request) // 1_000_000


def card_millis(workload: PendingWorkload) -> int:
    """Return how many milliseconds of one card the workload is expected to take.

    Work without cards counts as a thousandth of one.
    """
    seconds = workload.time_limit_s if workload.expected_s is None else workload.expected_s
    return min(seconds, workload.time_limit_s) * _milli_cards(workload.request)


@lru_cache(maxsize=1024)
def _milli_cards(request: Request) -> int:
    milli = request.cards * 1000 + request.slices * 125 + request.share
    return max(milli, 1) * request.replicas
