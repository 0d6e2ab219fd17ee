"""When waiting work is expected to start: the queue is played forward on the timeline.

It is played twice, in queue order: by time limits, which gives the latest start as long as nothing
overtakes, and by learned run times, which gives the earliest. Only the head of each queue is
played: further down the answer would be a guess that changes with every arrival. Compare Slurm's
`squeue --start`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, PoolId, WorkloadId
from scheduler.core.model.plan import EstimateBasis, StartRange
from scheduler.core.timeline.pool_timeline import (
    GangStart,
    PoolTimeline,
    TimelineCache,
    end_after,
    end_by_prediction,
    to_millis,
)

_DEPTH: Final = 200
"""Workloads of each pool that get an answer, at the most."""
_EFFORT: Final = 10_000
"""Node visits that one pool may cost: the larger it is, the fewer workloads get an answer."""


def estimate_starts(
    waiting: Sequence[PendingWorkload], ledger: Ledger
) -> Mapping[WorkloadId, StartRange]:
    """Return the expected starts at the head of each pool's queue, on the ledger after a plan.

    `waiting` is in queue order. Work that waits for something other than capacity (held by its
    owner, over its quota, its pool closed) has none, nor has work that today's nodes cannot hold.
    """
    ranges: dict[WorkloadId, StartRange] = {}
    for pool in ledger.pools.values():
        if not pool.is_open:
            continue
        depth = min(_DEPTH, max(_EFFORT // max(len(ledger.free[pool.id]), 1), 1))
        queue = (
            item for item in waiting if item.pool == pool.id and _waits_for_capacity(item, ledger)
        )
        head = list(islice(queue, depth))
        if head:
            ranges |= _ranges(head, pool.id, ledger)
    return ranges


def _ranges(
    head: Sequence[PendingWorkload], pool: PoolId, ledger: Ledger
) -> Mapping[WorkloadId, StartRange]:
    now = ledger.now
    by_limits = PoolTimeline(ledger.free[pool], ledger.running_on, ledger.timeline_cache)
    latest = _starts(head, by_limits, now)
    if not _is_predicted(head, pool, ledger):
        return {
            item: StartRange(now, to_millis(start.at, now), EstimateBasis.LIMITS)
            for item, start in latest.items()
        }
    by_predictions = PoolTimeline(
        ledger.free[pool], ledger.running_on, TimelineCache(end_by_prediction)
    )
    earliest = _starts(head, by_predictions, now, predicted=True)
    return {
        item: StartRange(
            min(to_millis(earliest[item].at, now), to_millis(start.at, now)),
            to_millis(start.at, now),
            EstimateBasis.PREDICTIONS,
        )
        for item, start in latest.items()
    }


def _starts(
    head: Iterable[PendingWorkload], timeline: PoolTimeline, now: Millis, *, predicted: bool = False
) -> dict[WorkloadId, GangStart]:
    """Start one after the other, each as early as those before it allow."""
    starts = {}
    for item in head:
        start = timeline.earliest_start(item.request, item.avoid)
        if start is None:
            continue
        starts[item.id] = start
        seconds = _seconds(item, predicted=predicted)
        timeline.occupy(item.request, start, end_after(start.at, seconds, now))
    return starts


def _seconds(item: PendingWorkload, *, predicted: bool) -> int:
    if predicted and item.expected_s is not None:
        return min(item.time_limit_s, item.expected_s)
    return item.time_limit_s


def _is_predicted(head: Iterable[PendingWorkload], pool: PoolId, ledger: Ledger) -> bool:
    """Return whether any learned run time is known for the pool."""
    return any(item.expected_s is not None for item in head) or any(
        work.expected_end is not None and work.expected_end != work.ends_at
        for work in ledger.running.values()
        if work.pool == pool
    )


def _waits_for_capacity(item: PendingWorkload, ledger: Ledger) -> bool:
    return not item.held and not ledger.quotas.refusals(item)
