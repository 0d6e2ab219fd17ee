"""A run as curves over time: equal stretches with their means."""

from collections.abc import Sequence

from scheduler.whatif.metrics import Moment, SimulationOutcome


def buckets(outcome: SimulationOutcome, points: int) -> list[tuple[int, float, float]]:
    """Return (begin in ms, mean GPUs held, mean queue length) of equal stretches of the run."""
    length = max((outcome.ended_ms - outcome.began_ms) // points, 1)
    busy = _means(outcome, length, [moment.milli_busy / 1000 for moment in outcome.moments])
    waiting = _means(outcome, length, [moment.waiting for moment in outcome.moments])
    return [
        (outcome.began_ms + place * length, *pair)
        for place, pair in enumerate(zip(busy, waiting, strict=True))
    ]


def _means(outcome: SimulationOutcome, length: int, values: Sequence[float]) -> list[float]:
    """Return the time-weighted mean of a step function in each bucket."""
    count = -(-(outcome.ended_ms - outcome.began_ms) // length)
    sums = [0.0] * count
    moments: Sequence[Moment] = outcome.moments
    for moment, after, value in zip(moments, moments[1:], values, strict=False):
        start, end = moment.at_ms - outcome.began_ms, after.at_ms - outcome.began_ms
        while start < end:
            place = start // length
            stop = min((place + 1) * length, end)
            sums[place] += value * (stop - start)
            start = stop
    return [total / length for total in sums]
