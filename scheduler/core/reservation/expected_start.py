"""When waiting work is expected to start: the queue is played forward on the timeline.

It is played twice, in queue order: by time limits, which gives the latest start as long as nothing
overtakes, and by learned run times, which gives the earliest. Only the head of each queue is
played: further down the answer would be a guess that changes with every arrival. Compare Slurm's
`squeue --start`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Final

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, WorkloadId
from scheduler.core.model.plan import EstimateBasis, StartRange
from scheduler.core.reservation.inside_starts import InsideTimelines
from scheduler.core.reservation.quota_timeline import QuotaTimeline, ends_by_itself
from scheduler.core.reservation.reservations import earliest_start
from scheduler.core.timeline.node_reservation import FREE_NOW, TimePoint, to_millis
from scheduler.core.timeline.pool_timeline import (
    GangStart,
    PoolTimeline,
    TimelineCache,
    end_after,
    end_by_limit,
    end_by_prediction,
)

_DEPTH: Final = 200
"""Workloads of each pool that get an answer, at the most."""
_LOOK: Final = 5_000
"""Workloads of each pool that are looked at, from the head of its queue."""
_EFFORT: Final = 10_000
"""Node visits that one pool may cost: the larger it is, the fewer workloads get an answer."""


def estimate_starts(
    waiting: Sequence[PendingWorkload], ledger: Ledger
) -> Mapping[WorkloadId, StartRange]:
    """Return the expected starts at the head of each pool's queue, on the ledger after a plan.

    `waiting` is in queue order. Work that a ceiling, a budget or a counted limit refuses is played
    after the work that waits for capacity, because it reserves nothing: it starts when the limit
    has room, and its nodes too. Work that is held, that a promise to others or a closed pool keeps
    waiting, or that today's nodes cannot hold, has no answer.
    """
    ranges: dict[WorkloadId, StartRange] = {}
    limits = _QuotaTimelines(ledger)
    for pool in ledger.pools.values():
        if not pool.is_open:
            continue
        depth = min(_DEPTH, max(_EFFORT // max(len(ledger.free[pool.id]), 1), 1))
        queue = [item for item in waiting if item.pool == pool.id and not item.held][:_LOOK]
        head = list(islice((item for item in queue if not _is_refused(item, ledger)), depth))
        refused = (item for item in queue if _is_refused_for_a_time(item, ledger))
        head += islice(refused, depth)
        if head:
            ranges |= _ranges(head, pool.id, ledger, limits)
    return ranges


class _QuotaTimelines:
    """The limits of quotas from now on, made when first needed."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @cached_property
    def by_limits(self) -> QuotaTimeline:
        return QuotaTimeline(self._ledger, end_by_limit)

    @cached_property
    def by_predictions(self) -> QuotaTimeline:
        return QuotaTimeline(self._ledger, end_by_prediction)


def _ranges(
    head: Sequence[PendingWorkload], pool: PoolId, ledger: Ledger, limits: _QuotaTimelines
) -> Mapping[WorkloadId, StartRange]:
    now = ledger.now
    by_limits = ledger.timeline(pool)
    latest = _starts(head, by_limits, lambda: limits.by_limits, ledger)
    if not _is_predicted(head, pool, ledger):
        return {
            item: StartRange(now, to_millis(start.at, now), EstimateBasis.LIMITS)
            for item, start in latest.items()
        }
    by_predictions = ledger.timeline(pool, TimelineCache(end_by_prediction))
    earliest = _starts(head, by_predictions, lambda: limits.by_predictions, ledger, predicted=True)
    return {
        item: StartRange(
            min(to_millis(earliest.get(item, start).at, now), to_millis(start.at, now)),
            to_millis(start.at, now),
            EstimateBasis.PREDICTIONS,
        )
        for item, start in latest.items()
    }


def _starts(
    head: Sequence[PendingWorkload],
    timeline: PoolTimeline,
    limits: Callable[[], QuotaTimeline],
    ledger: Ledger,
    *,
    predicted: bool = False,
) -> dict[WorkloadId, GangStart]:
    """Start one after the other, each as early as those before it and its quotas allow."""
    starts = {}
    inside = InsideTimelines(ledger)
    quotas = limits() if any(_is_refused(item, ledger) for item in head) else None
    for item in head:
        allowed: TimePoint | None = FREE_NOW
        if quotas is not None and _is_refused(item, ledger):
            allowed = quotas.earliest(item)
        seconds = _seconds(item, predicted=predicted)
        start = earliest_start(item, timeline, ledger)
        if allowed is not None and (within := inside.start(item, seconds, (start, allowed))):
            starts[item.id] = within
            continue
        if start is None or allowed is None:
            continue
        start = starts[item.id] = replace(start, at=max(start.at, allowed))
        until = end_after(start.at, seconds, ledger.now)
        timeline.occupy(item.request, start, until)
        if quotas is not None:
            quotas.occupy(item, until)
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


def _is_refused(item: PendingWorkload, ledger: Ledger) -> bool:
    return bool(ledger.quotas.refusals(item))


def _is_refused_for_a_time(item: PendingWorkload, ledger: Ledger) -> bool:
    refusals = ledger.quotas.refusals(item)
    return bool(refusals) and ends_by_itself(refusals)
