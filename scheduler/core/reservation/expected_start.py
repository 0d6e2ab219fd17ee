"""When waiting work is expected to start: the queue is played forward on the timeline.

It is played twice: by time limits, which gives the latest start as long as nothing overtakes, and by
learned run times, which gives the earliest. First comes the work for which other work leaves, then
what has a reservation, then the rest of the queue in its order: so an expected start is never later
than a promise. A cycle plays the head of each queue only. Compare Slurm's `squeue --start`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import NO_PLANS, EstimateBasis, EvictionPlans, StartRange
from scheduler.core.model.policy import QueueRule
from scheduler.core.model.reasons import Reason, held_until
from scheduler.core.reservation.inside_starts import InsideTimelines
from scheduler.core.reservation.quota_timeline import (
    QuotaTimeline,
    ends_by_itself,
    waits_for_a_model,
)
from scheduler.core.reservation.reservations import is_near
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    UNKNOWN_FROM,
    TimePoint,
    is_certain,
    to_millis,
)
from scheduler.core.timeline.pool_timeline import (
    EndTimeOf,
    GangStart,
    PoolTimeline,
    TimelineCache,
    end_after,
    end_by_limit,
    end_by_prediction,
)

_OPTIONS: Final = 2
"""Nodes that one start is compared on; which node it is matters little here."""


@dataclass(frozen=True, slots=True)
class EstimateDepth:
    """How far a queue is played."""

    workloads: int
    """Workloads of each pool that get an answer, at the most, and as many that a limit refuses."""
    looked: int
    """Workloads of each pool that are looked at, from the head of its queue."""
    visits: int
    """Nodes that are looked at in one pool before the rest gets no answer."""


HEAD: Final = EstimateDepth(workloads=200, looked=5_000, visits=2_000)
"""What every cycle plays: further down the answer would change with every arrival."""
WHOLE_QUEUE: Final = EstimateDepth(workloads=20_000, looked=100_000, visits=200_000)
"""What is played where one workload is asked about, beside the cycle."""


def estimate_starts(
    waiting: Sequence[PendingWorkload],
    ledger: Ledger,
    plans: EvictionPlans = NO_PLANS,
    depth: EstimateDepth = HEAD,
) -> Mapping[WorkloadId, StartRange]:
    """Return the expected starts of each pool's queue, on the ledger after a plan.

    `waiting` is in queue order. Work that a ceiling, a budget or a counted limit refuses is played
    after the work that waits for capacity, because it reserves nothing: it starts when the limit
    has room, and its nodes too. Work with a begin time, or that pauses after a failure, starts then at
    the earliest. Work that is held otherwise, that a promise to others or a closed pool keeps waiting,
    or that today's nodes cannot hold beside work with an open end, has no answer.
    """
    queues: defaultdict[PoolId, list[PendingWorkload]] = defaultdict(list)
    for item in waiting:
        if _has_known_start(item) and len(queues[item.pool]) < depth.looked:
            queues[item.pool].append(item)
    departures = _Departures(ledger, plans)
    limits = _QuotaTimelines(ledger, departures)
    ranges: dict[WorkloadId, StartRange] = {}
    for pool, queue in queues.items():
        if ledger.pools[pool].is_open:
            ranges |= _PoolEstimate(pool, ledger, departures, limits, depth).ranges(queue)
    return ranges


class _Departures:
    """When the work leaves that is evicted, now or once its protected run time is over."""

    def __init__(self, ledger: Ledger, plans: EvictionPlans) -> None:
        self._leaves_at: dict[WorkloadId, TimePoint] = {}
        self.starts_at: dict[WorkloadId, TimePoint] = {
            work.stopping_for: FREE_SOON
            for work in ledger.stopping.values()
            if work.stopping_for is not None
        }
        """When the work can start for which other work leaves."""
        for eviction in plans.evictions:
            at = ledger.now + eviction.grace_s * 1000
            self._leaves_at[eviction.workload] = at
            if eviction.beneficiary is not None:
                self._starts_no_sooner(eviction.beneficiary, at)
        for deferred in plans.deferred:
            at = deferred.at + deferred.grace_s * 1000
            self._leaves_at |= dict.fromkeys(deferred.victims, at)
            self._starts_no_sooner(deferred.beneficiary, at)

    def ends(self, end_of: EndTimeOf) -> EndTimeOf:
        """Return the ends of running work by `end_of`, but earlier where it leaves before."""
        if not self._leaves_at:
            return end_of

        def end(work: RunningWorkload) -> TimePoint:
            leaves_at = self._leaves_at.get(work.id)
            return end_of(work) if leaves_at is None else min(end_of(work), leaves_at)

        return end

    def cache_by_limits(self, ledger: Ledger) -> TimelineCache:
        """Return what is known of the nodes already, if nothing leaves before its limit."""
        if not self._leaves_at:
            return ledger.timeline_cache
        return TimelineCache(self.ends(end_by_limit))

    def _starts_no_sooner(self, workload: WorkloadId, at: TimePoint) -> None:
        self.starts_at[workload] = max(at, self.starts_at.get(workload, at))


class _QuotaTimelines:
    """The limits of quotas from now on, made when first needed."""

    def __init__(self, ledger: Ledger, departures: _Departures) -> None:
        self._ledger, self._departures = ledger, departures

    @cached_property
    def by_limits(self) -> QuotaTimeline:
        return QuotaTimeline(self._ledger, self._departures.ends(end_by_limit))

    @cached_property
    def by_predictions(self) -> QuotaTimeline:
        return QuotaTimeline(self._ledger, self._departures.ends(end_by_prediction))


class _PoolEstimate:
    """Plays the queue of one pool."""

    def __init__(
        self,
        pool: PoolId,
        ledger: Ledger,
        departures: _Departures,
        limits: _QuotaTimelines,
        depth: EstimateDepth,
    ) -> None:
        self._pool, self._ledger = pool, ledger
        self._departures, self._limits, self._depth = departures, limits, depth
        self._refusals: dict[WorkloadId, tuple[Reason, ...]] = {}
        self._promised: dict[WorkloadId, TimePoint] = {
            each.workload.id: each.start.at for each in ledger.starts.by_pool.get(pool, ())
        }

    def ranges(self, queue: Sequence[PendingWorkload]) -> Mapping[WorkloadId, StartRange]:
        """Return the expected starts, as far down the queue as the depth allows."""
        head = self._in_order(queue)
        if not head:
            return {}
        latest = self._play(
            head, self._departures.cache_by_limits(self._ledger), lambda: self._limits.by_limits
        )
        if not self._is_predicted(head):
            return {item: self._range(item, at, None) for item, at in latest.items()}
        earliest = self._play(
            head,
            TimelineCache(self._departures.ends(end_by_prediction)),
            lambda: self._limits.by_predictions,
            predicted=True,
        )
        return {item: self._range(item, at, earliest.get(item, at)) for item, at in latest.items()}

    def _in_order(self, queue: Sequence[PendingWorkload]) -> list[PendingWorkload]:
        """Return who starts before whom: work that others leave for, what is promised, the rest."""
        first = [item for item in queue if item.id in self._departures.starts_at]
        promised = [item for item in queue if item.id in self._promised]
        known = {item.id for item in (*first, *promised)}
        rest = [item for item in queue if item.id not in known]
        depth = self._depth.workloads
        head = list(islice((item for item in rest if not self._is_refused(item)), depth))
        refused = (item for item in rest if self._is_refused_for_a_time(item))
        in_order = (*first, *promised, *head, *islice(refused, depth))
        return list({item.id: item for item in in_order}.values())

    def _play(
        self,
        head: Sequence[PendingWorkload],
        cache: TimelineCache,
        limits: Callable[[], QuotaTimeline],
        *,
        predicted: bool = False,
    ) -> dict[WorkloadId, TimePoint]:
        """Start one after the other, each as early as those before it and its quotas allow."""
        ledger = self._ledger
        timeline = ledger.timeline(self._pool, cache, options_max=_OPTIONS)
        inside = InsideTimelines(ledger)
        quotas = limits() if any(self._is_refused(item) for item in head) else None
        starts: dict[WorkloadId, TimePoint] = {}
        is_strict = ledger.pools[self._pool].policy.queue is QueueRule.STRICT
        last: TimePoint = FREE_NOW
        for item in head:
            if timeline.visits > self._depth.visits:
                break
            request, fits, at = self._earliest(item, timeline, quotas)
            within = inside.start(item, _seconds(item, predicted=predicted), at)
            if within is not None:
                starts[item.id] = within
                continue
            if at is None:
                continue
            if is_strict and not self._is_refused(item):
                at = at if self._is_settled(item) else max(at, last, key=self._millis)
                last = max(at, last, key=self._millis)
            starts[item.id] = at
            until = end_after(at, _seconds(item, predicted=predicted), ledger.now)
            if fits is not None and self._millis(fits.at) <= self._millis(at):
                begin = max(fits.at, at)
                start = fits if begin == fits.at else fits._replace(at=begin)
                timeline.occupy(request, start, until)
            if quotas is not None:
                quotas.occupy(item, until, (node for node, _ in fits.nodes) if fits else ())
        return starts

    def _earliest(
        self, item: PendingWorkload, timeline: PoolTimeline, quotas: QuotaTimeline | None
    ) -> tuple[Request, GangStart | None, TimePoint | None]:
        """Return the request for the cards that it gets, where these come free, and when it starts."""
        ledger = self._ledger
        stay_s = ledger.reserved.stay_s(item, self._pool)
        best: tuple[Request, GangStart | None, TimePoint | None] = item.request, None, None
        for request, allowed in self._options(item, quotas):
            fits = timeline.earliest_start(request, item.avoid, stay_s)
            free = FREE_NOW
            if fits is not None and request.gpus and fits.at >= UNKNOWN_FROM:
                free = timeline.cards_free_at(request, fits, ledger.now)
            at = self._start_of(item, fits, allowed, free)
            if at is not None and quotas is not None and self._is_refused(item):
                at = quotas.within_budgets(item, self._refusals[item.id], at)
            if best[2] is None or (at is not None and self._millis(at) < self._millis(best[2])):
                best = request, fits, at
        return best

    def _options(
        self, item: PendingWorkload, quotas: QuotaTimeline | None
    ) -> Iterable[tuple[Request, TimePoint | None]]:
        """Return the requests for cards that it may get, and from when on its quotas allow each."""
        request = self._ledger.quotas.narrow(item) or item.request
        if quotas is None or not self._is_refused(item):
            return ((request, FREE_NOW),)
        refusals = self._refusals[item.id]
        if waits_for_a_model(refusals) and not self._is_settled(item):
            return quotas.by_model(item, refusals)
        return ((request, quotas.earliest(item, refusals)),)

    def _start_of(
        self,
        item: PendingWorkload,
        fits: GangStart | None,
        allowed: TimePoint | None,
        free: TimePoint,
    ) -> TimePoint | None:
        """Return when it starts; no later than promised, and as planned where other work leaves."""
        planned = self._departures.starts_at.get(item.id)
        promised = self._promised.get(item.id)
        if planned is not None:
            return planned if promised is None else self._sooner(planned, promised)
        if fits is None or allowed is None:
            return promised
        at = max(fits.at, allowed, free, _allowed_from(item), key=self._millis)
        return at if promised is None else self._sooner(at, promised)

    def _sooner(self, one: TimePoint, other: TimePoint) -> TimePoint:
        """Return the earlier of two points; one that is not certain counts as its estimate."""
        return min(one, other, key=self._millis)

    def _millis(self, at: TimePoint) -> Millis:
        return to_millis(at, self._ledger.now)

    def _is_settled(self, item: PendingWorkload) -> bool:
        """Return whether its start is promised or planned, whatever is ahead of it."""
        return item.id in self._promised or item.id in self._departures.starts_at

    def _range(
        self, workload: WorkloadId, latest: TimePoint, earliest: TimePoint | None
    ) -> StartRange:
        now = self._ledger.now
        last = to_millis(latest, now)
        start = self._promised.get(workload, UNKNOWN_FROM)
        is_promised = is_certain(start) and is_near(self._millis(start), now)
        begins = held_until(self._ledger.pending[workload].held)
        allowed = None if begins is None else Millis(begins)
        if workload in self._departures.starts_at:
            return StartRange(now, last, EstimateBasis.EVICTIONS, is_promised, allowed)
        if earliest is None:
            first = Millis(max(now, allowed or now))
            return StartRange(first, last, EstimateBasis.LIMITS, is_promised, allowed)
        first = Millis(min(to_millis(earliest, now), last))
        return StartRange(first, last, EstimateBasis.PREDICTIONS, is_promised, allowed)

    def _is_predicted(self, head: Iterable[PendingWorkload]) -> bool:
        """Return whether any learned run time is known for the pool."""
        return any(item.expected_s is not None for item in head) or any(
            work.expected_end is not None and work.expected_end != work.ends_at
            for work in self._ledger.running.values()
            if work.pool == self._pool
        )

    def _is_refused(self, item: PendingWorkload) -> bool:
        found = self._refusals.get(item.id)
        if found is None:
            found = self._refusals[item.id] = self._ledger.quotas.refusals(item)
        return bool(found)

    def _is_refused_for_a_time(self, item: PendingWorkload) -> bool:
        return self._is_refused(item) and ends_by_itself(self._refusals[item.id])


def _has_known_start(item: PendingWorkload) -> bool:
    return not item.held or held_until(item.held) is not None


def _allowed_from(item: PendingWorkload) -> TimePoint:
    """Return from when on nothing outside the cluster keeps it waiting."""
    return (held_until(item.held) or FREE_NOW) if item.held else FREE_NOW


def _seconds(item: PendingWorkload, *, predicted: bool) -> int | None:
    """Return how long it holds what it gets; None is an open end, whatever such work took before."""
    if predicted and item.expected_s is not None and item.time_limit_s is not None:
        return min(item.time_limit_s, item.expected_s)
    return item.time_limit_s
