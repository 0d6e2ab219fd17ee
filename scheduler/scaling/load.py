"""How many slots of replicas a load takes, now and within one cold start."""

from dataclasses import dataclass, replace
from math import isqrt
from typing import Final

from scheduler.scaling.values import LearnedCapacity, LoadSample, ScalingInput, Warmth

STEP_WINDOW_MS: Final = 2_000
"""What is open is the most within this; shorter than the two seconds in which a step is answered."""
QUEUE_WINDOW_MS: Final = 6_000
"""A queue inside servers counts if it did not empty for so long: each new request is in it for a moment."""
MOST_DISPERSION: Final = 16


@dataclass(frozen=True, slots=True)
class ObservedLoad:
    """What the samples say; in requests that are open at once."""

    open_now: int
    """Open or held, the most of the last two seconds."""
    steady_milli: int
    """Thousandths of what the arrivals of the window keep open on average."""
    dispersion_milli: int
    """Variance of the arrivals a second over their mean; 1,000 is chance, more is in bursts."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The load of a service in slots: what must be free for requests at once."""

    open_now: int
    now: int
    """Slots that answer what is open in time."""
    likely: int
    """Slots that answer what is likely open within the horizon in time."""
    forecast: int
    """The same if the forecast's upper end comes."""


def observed(given: ScalingInput, window_ms: int) -> ObservedLoad:
    """Read the samples of the last `window_ms`."""
    since = given.now_ms - window_ms
    arrivals = [each.arrivals for each in given.load if each.at_ms > since and each.arrivals]
    total = sum(arrivals)
    steady = total * given.capacity.service_ms * 1000 // window_ms
    dispersion = 1000
    if total:
        squares = sum(count * count for count in arrivals)
        variance = squares * 1000 // total - total * 1_000_000 // window_ms
        dispersion = min(max(variance, 1000), MOST_DISPERSION * 1000)
    return ObservedLoad(open_now(given), steady, dispersion)


def demand(given: ScalingInput, seen: ObservedLoad, horizon_ms: int, caution_milli: int) -> Demand:
    """Slots that the load takes; `horizon_ms` is how far a new replica is away.

    Where it can be there in time for what is open, what is left of the slack then is the time to
    work that off.
    """
    high = given.forecast.high_milli if given.forecast else 0
    slack = slack_ms(given)
    left = slack - horizon_ms if horizon_ms < slack else slack
    return Demand(
        seen.open_now,
        _in_time(given, seen.open_now * 1000, left),
        _in_time(given, _likely_milli(given, seen, horizon_ms, caution_milli), slack),
        _in_time(given, high * given.capacity.service_ms // 1000, slack),
    )


def open_now(given: ScalingInput) -> int:
    """Requests open or held, the most of the last two seconds."""
    since = given.now_ms - STEP_WINDOW_MS
    return max((sample.open for sample in given.load if sample.at_ms > since), default=0)


def queued(given: ScalingInput) -> int:
    """Requests that have waited inside servers all the time of late; the fewest of the window."""
    return min((sample.waiting for sample in _of_queue_window(given)), default=0)


def carried(given: ScalingInput) -> LearnedCapacity:
    """Return what a replica is believed to carry: while others wait inside, no more than runs at a time.

    That corrects the preset's word; what was learned from answers has the queue in it.
    """
    ready = sum(replica.warmth is Warmth.READY for replica in given.replicas)
    if given.capacity.seen or not ready or not queued(given):
        return given.capacity
    running = max(sample.in_flight - sample.waiting for sample in _of_queue_window(given))
    most = min(given.capacity.open_requests, max(1, -(-running // ready)))
    return replace(given.capacity, open_requests=most)


def _of_queue_window(given: ScalingInput) -> list[LoadSample]:
    """Return the samples of the window, none unless there is one older than it: a queue must have been seen so long."""
    since = given.now_ms - QUEUE_WINDOW_MS
    samples = [sample for sample in given.load if sample.at_ms > since]
    return samples if any(sample.at_ms <= since for sample in given.load) else []


def slack_ms(given: ScalingInput) -> int:
    """How long a request may wait and still meet the target.

    Until more is known, a whole answer is believed to take its mean time, a first token none.
    """
    mean = 0 if given.target.first_token else given.capacity.service_ms
    return max(0, given.target.latency_ms - (given.capacity.unqueued_ms or mean))


def _likely_milli(
    given: ScalingInput, seen: ObservedLoad, horizon_ms: int, caution_milli: int
) -> int:
    """Thousandths of slots: the mean within the horizon and so many deviations.

    Of what is open now a part is still there at the horizon, new arrivals make up the rest; both
    vary, the second with the dispersion of the arrivals.
    """
    service = max(1, given.capacity.service_ms)
    stays = 1000 * service // (service + horizon_ms)
    old = seen.open_now * stays
    new = seen.steady_milli * (1000 - stays) // 1000
    variance = old * (1000 - stays) + new * seen.dispersion_milli
    return old + new + caution_milli * isqrt(variance) // 1000


def _in_time(given: ScalingInput, open_milli: int, slack: int) -> int:
    """Slots for so many requests at once, when the last may wait for `slack` milliseconds."""
    service = max(1, given.capacity.service_ms)
    return -(-open_milli * service // ((service + slack) * 1000))
