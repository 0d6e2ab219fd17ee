"""What the scaling rule is given and what it answers; whole numbers, times in milliseconds.

The caller reads rows and samples into a `ScalingInput`, calls `rule.decide(given)`, keeps
`ScalingDecision.state` (`state.record()` and `state.from_record()`) and brings it back the next time.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from scheduler.scaling.state import ScalingState

DEFAULT_COLD_START_MS: Final = 60_000
"""What a start is believed to take before the first one has been seen."""


class Quality(StrEnum):
    """What a service promises."""

    LATENCY = "latency"
    """Requests are answered in time."""
    THROUGHPUT = "throughput"
    """So many requests a second are answered, sooner or later."""


class Warmth(StrEnum):
    """How far a replica is from answering."""

    READY = "ready"
    STARTING = "starting"
    ASLEEP = "asleep"
    """Its weights are in memory; it holds no share of a GPU and answers after a wake-up."""
    LEAVING = "leaving"
    """It gets no new requests and ends with its last open one; it no longer counts as a replica."""


@dataclass(frozen=True, slots=True)
class ServiceTarget:
    """The promise of a service."""

    quality: Quality
    latency_ms: int = 0
    """For latency: within which a request is answered, or its first token comes."""
    attained_permille: int = 990
    """For latency: so many requests in a thousand are to meet it."""
    first_token: bool = False
    """The latency is that of the first token, not of the whole answer."""
    rate_milli: int = 0
    """For throughput: requests wanted in 1,000 seconds; 0 is as many as come."""


@dataclass(frozen=True, slots=True)
class ReplicaBounds:
    """Between what its owner wants the number of replicas."""

    minimum: int
    maximum: int
    zero_after_ms: int = 600_000
    """A service that may be at zero goes there after so long without an open request."""
    price_factor_permille: int = 1_000
    """Unneeded replicas stay for one cold start times this: more than 1,000 for costly misses, less
    for costly GPUs."""


@dataclass(frozen=True, slots=True)
class ReplicaSeen:
    """One replica as it stands."""

    key: str
    """Names it in the decision: the caller's own id."""
    warmth: Warmth
    open_requests: int = 0
    """Forwarded to it and not answered yet, streams included."""
    since_ms: int = 0
    """When it came to this warmth."""


@dataclass(frozen=True, slots=True)
class LoadSample:
    """What the endpoint saw of one service in a span of about one second; oldest first in a list."""

    at_ms: int
    """The end of the span."""
    span_ms: int
    in_flight: int
    """Open at a replica, the most in the span."""
    held: int
    """Waiting at the endpoint for a replica, the most in the span."""
    arrivals: int
    completed: int
    failed: int = 0
    waiting: int = 0
    """Queued inside the replicas by their own metric; they are among `in_flight`."""
    latency_sum_ms: int = 0
    """Over the completed: first token or whole answer, as the target says, queueing included."""
    late: int = 0
    """Of the completed: those beyond the target."""

    @property
    def open(self) -> int:
        """All requests that somebody waits for."""
        return self.in_flight + self.held


@dataclass(frozen=True, slots=True)
class LearnedCapacity:
    """What one replica carries, as `learning` found it on its image and model of GPU."""

    open_requests: int
    """The most open requests at which it still meets the target: the knee; at least 1."""
    service_ms: int
    """Mean time of a request on a replica that is not beyond the knee."""
    unqueued_ms: int = 0
    """The target's latency (first token or whole answer) when nothing waits, of the slow requests; what
    the target leaves beyond it may be spent waiting."""
    seen: int = 0
    """From so many requests; 0 is a preset's word."""


@dataclass(frozen=True, slots=True)
class ColdStarts:
    """How long replicas of this image took to become ready on the nodes that they may get."""

    p50_ms: int = DEFAULT_COLD_START_MS
    p90_ms: int = DEFAULT_COLD_START_MS
    wake_ms: int | None = None
    """How long one that is asleep takes; None when none can sleep."""
    seen: int = 0
    """From so many starts; 0 is a guess."""


@dataclass(frozen=True, slots=True)
class DemandInterval:
    """Arrivals that a forecast expects between now and one cold start from now."""

    low_milli: int
    """Requests in 1,000 seconds: the lower end, the middle and the upper end."""
    middle_milli: int
    high_milli: int
    made_at_ms: int


@dataclass(frozen=True, slots=True)
class InputAges:
    """Since when the inputs are known, and from when on they are too old to act on."""

    load_ms: int
    """Age of the newest load sample."""
    replicas_ms: int
    """Age of what is known of the replicas."""
    waiting_ms: int = 0
    """For how long a server that reported its queue does so no more; 0 where all do or none ever did."""
    load_limit_ms: int = 10_000
    replicas_limit_ms: int = 30_000
    waiting_limit_ms: int = 10_000
    forecast_limit_ms: int = 7_200_000


@dataclass(frozen=True, slots=True)
class ScalingInput:
    """All that the rule knows of one service at one moment."""

    now_ms: int
    target: ServiceTarget
    bounds: ReplicaBounds
    replicas: tuple[ReplicaSeen, ...]
    load: tuple[LoadSample, ...]
    """The last minutes at least as far back as one stable window; what is missing was quiet."""
    capacity: LearnedCapacity
    cold_starts: ColdStarts
    ages: InputAges
    forecast: DemandInterval | None = None
    state: ScalingState = field(default_factory=ScalingState)

    @property
    def size(self) -> int:
        """Replicas that answer or will: ready and starting."""
        return sum(replica.warmth in {Warmth.READY, Warmth.STARTING} for replica in self.replicas)


class ScalingReasonCode(StrEnum):
    """Why this number. The codes never change; parameters stand in braces, all whole numbers."""

    STALE_LOAD = "stale_load"
    """{age_ms, limit_ms}: the samples of load are too old; the last size is kept."""
    STALE_REPLICAS = "stale_replicas"
    """{age_ms, limit_ms}: nobody has reported the replicas for so long; the last size is kept."""
    STALE_WAITING = "stale_waiting"
    """{age_ms, limit_ms}: a server tells its queue no more for so long; the last size is kept."""
    STEP = "step"
    """{open, before, replicas, needed}: open requests jumped; waiting for the usual window would miss."""
    FROM_ZERO = "from_zero"
    """{open, replicas}: somebody waits at a service without a replica."""
    MORE_LOAD = "more_load"
    """{open, per_replica, replicas, needed}: the likely load of the next cold start needs more."""
    FORECAST = "forecast"
    """{high_milli, per_replica, replicas, needed}: the forecast's upper end needs more."""
    UNNEEDED = "unneeded"
    """{replicas, needed, unneeded_ms}: the surplus was not needed for so long."""
    TO_ZERO = "to_zero"
    """{quiet_ms}: nothing was open for so long."""
    STAYS_FOR_NOW = "stays_for_now"
    """{replicas, needed, left_ms}: fewer would do; they leave in so long if that stays."""
    ENOUGH = "enough"
    """{replicas, needed}"""
    AT_MAXIMUM = "at_maximum"
    """{maximum, needed}: more would be needed than may run."""
    AT_MINIMUM = "at_minimum"
    """{minimum, needed}"""


@dataclass(frozen=True, slots=True)
class ScalingReason:
    """A code of the list and its numbers; the pages word it."""

    code: ScalingReasonCode
    params: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ScalingDecision:
    """What is to be."""

    replicas: int | None
    """So many ready and starting; None keeps what is there, because an input is stale."""
    reason: ScalingReason
    state: ScalingState
    leaving: tuple[str, ...] = ()
    """On scale-in: who goes, those that start first, then those with the fewest open requests. They get
    no new requests and end with their last open one."""
