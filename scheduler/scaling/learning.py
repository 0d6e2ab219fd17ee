"""What a service's own past teaches: how long starts take, what a request takes, what a replica carries.

The caller keeps the past (durations of starts, the curve) and asks again whenever there is more of it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from scheduler.scaling.values import DEFAULT_COLD_START_MS, ColdStarts, LoadSample

ENOUGH_STARTS: Final = 5
"""From so many starts on a node its own past says more than that of the image elsewhere."""
NEWEST_STARTS: Final = 100
ENOUGH_ANSWERS: Final = 20
"""A level of the curve is believed from so many answers on."""
NEW_WEIGHT_PERMILLE: Final = 200
"""How much of a level's latency the newest answers are."""
NEXT_LEVEL_PERMILLE: Final = 1_250
"""While the highest level that was seen meets the target, so much more is tried."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Latency of a replica with so many requests open."""

    open_requests: int
    latency_ms: int
    answers: int


def learned_starts(
    on_node: Sequence[int], of_image: Sequence[int], wakes: Sequence[int] = ()
) -> ColdStarts:
    """Return the starts to expect of an image on a node; durations in milliseconds, newest last.

    `of_image` are its starts on every node; without any of both the default stands.
    """
    seen = on_node if len(on_node) >= ENOUGH_STARTS else of_image
    wake = _quantile(wakes, 900) if wakes else None
    if not seen:
        return ColdStarts(DEFAULT_COLD_START_MS, DEFAULT_COLD_START_MS, wake)
    return ColdStarts(_quantile(seen, 500), _quantile(seen, 900), wake, len(seen))


def service_time_ms(samples: Iterable[LoadSample], otherwise: int) -> int:
    """Return what a request takes on a replica: time in flight over answers, as Little's law has it."""
    busy = answered = 0
    for sample in samples:
        busy += sample.in_flight * sample.span_ms
        answered += sample.completed
    return max(1, busy // answered) if answered else otherwise


def with_answers(
    curve: Sequence[CurvePoint], open_requests: int, latency_ms: int, answers: int
) -> tuple[CurvePoint, ...]:
    """Return the curve with answers that took `latency_ms` on average at one level; by level."""
    points = {point.open_requests: point for point in curve}
    old = points.get(open_requests)
    latency = latency_ms
    if old:
        latency = (
            old.latency_ms * (1000 - NEW_WEIGHT_PERMILLE) + latency_ms * NEW_WEIGHT_PERMILLE
        ) // 1000
    seen = answers + (old.answers if old else 0)
    points[open_requests] = CurvePoint(open_requests, latency, seen)
    return tuple(points[level] for level in sorted(points))


def knee(curve: Sequence[CurvePoint], latency_ms: int, preset: int, most: int) -> int:
    """Return the most open requests at which a replica answers within `latency_ms`; 1 to `most`.

    The preset's word stands until a level at or above it has been seen; a level that misses bounds
    what is below it, and above a highest level that meets there is a little more to try.
    """
    known = [point for point in curve if point.answers >= ENOUGH_ANSWERS]
    missed = min((p.open_requests for p in known if p.latency_ms > latency_ms), default=None)
    met = max(
        (
            p.open_requests
            for p in known
            if p.latency_ms <= latency_ms and (missed is None or p.open_requests < missed)
        ),
        default=0,
    )
    if missed is not None:
        return max(1, met or missed // 2)
    if met < preset:
        return max(1, min(preset, most))
    return max(1, min(max(met + 1, met * NEXT_LEVEL_PERMILLE // 1000), most))


def _quantile(durations: Sequence[int], permille: int) -> int:
    ordered = sorted(durations[-NEWEST_STARTS:])
    return ordered[min(len(ordered) - 1, len(ordered) * permille // 1000)]
