"""What a service's own past has taught: how many requests a replica carries at a time, and how long one takes to start.

Each level of open requests has a latency; the knee of that curve is what a replica carries. Of a new revision nothing
is known, and the preset's word stands.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import F

from portal.serving.models import Service
from portal.serving.presets import ServicePreset
from portal.workloads.models import Allocation
from scheduler.scaling.learning import (
    ENOUGH_ANSWERS,
    NEWEST_STARTS,
    CurvePoint,
    knee,
    learned_starts,
    with_answers,
)
from scheduler.scaling.values import ColdStarts, LoadSample

MOST_TIMES: Final = 8
"""No more is tried than so many times what the preset says."""
EXACT_TO: Final = 16
"""Levels up to this one are kept one by one, higher ones in steps of an eighth."""


@dataclass(frozen=True, slots=True)
class ReplicaCapacity:
    """What one replica is believed to carry."""

    open_requests: int
    answers: int
    """It was learned from so many; 0 is the preset's word."""


def capacity_of(service: Service, preset: ServicePreset) -> ReplicaCapacity:
    """Return what a replica of a service carries.

    Where even the lowest level that was seen misses the target, more replicas would not help, and the
    preset's word stands.
    """
    known = [point for point in _curve(service) if point.answers >= ENOUGH_ANSWERS]
    target = service.target_ms
    if not known or target is None or known[0].latency_ms > target:
        return ReplicaCapacity(preset.open_requests, 0)
    most = preset.open_requests * MOST_TIMES
    carried = knee(known, target, preset.open_requests, most)
    return ReplicaCapacity(carried, sum(point.answers for point in known))


def cold_starts_of(service: Service) -> ColdStarts:
    """Return how long its replicas took from their placement until they were ready."""
    rows = Allocation.objects.filter(workload__replica__service=service).exclude(ready_at=None)
    taken = rows.order_by("-ready_at").annotate(took=F("ready_at") - F("created_at"))
    durations = [
        int(each.total_seconds() * 1000)
        for each in taken.values_list("took", flat=True)[:NEWEST_STARTS]
    ]
    return learned_starts((), durations[::-1])


def learn(service: Service, ready: int, samples: Iterable[LoadSample]) -> bool:
    """Add answers to the curve of a locked service; return whether it has changed and is to be saved.

    Args:
        service: its row is locked.
        ready: replicas that answered.
        samples: seconds that were not learned from yet. Those in which requests were held say nothing:
            their latency has the time at the endpoint in it.
    """
    if not ready or service.target_ms is None:
        return False
    taken: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for each in samples:
        if each.completed and not each.held and each.latency_sum_ms:
            level = _level(max(1, -(-each.in_flight // ready)))
            taken[level][0] += each.latency_sum_ms
            taken[level][1] += each.completed
    curve = _curve(service)
    for level, (total_ms, answers) in sorted(taken.items()):
        curve = with_answers(curve, level, total_ms // answers, answers)
    if taken:
        points = [[point.open_requests, point.latency_ms, point.answers] for point in curve]
        service.capacity_state = {"revision": service.revision, "curve": points}
    return bool(taken)


def _curve(service: Service) -> Sequence[CurvePoint]:
    state = service.capacity_state
    if state.get("revision") != service.revision:
        return ()
    return tuple(CurvePoint(*point) for point in state.get("curve", ()))


def _level(opened: int) -> int:
    """Return the level that stands for so many open requests; there are few."""
    if opened <= EXACT_TO:
        return opened
    step = 1 << (opened.bit_length() - 4)
    return opened // step * step
