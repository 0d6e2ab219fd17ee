"""Situations of services for the tests of the rule."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduler.scaling.state import ScalingState
from scheduler.scaling.values import (
    ColdStarts,
    DemandInterval,
    InputAges,
    LearnedCapacity,
    LoadSample,
    Quality,
    ReplicaBounds,
    ReplicaSeen,
    ScalingInput,
    ServiceTarget,
    Warmth,
)

NOW_MS = 10_000_000


def sample(seconds_ago: int, opened: int, arrivals: int = 0, late: int = 0) -> LoadSample:
    return LoadSample(
        at_ms=NOW_MS - 1000 * seconds_ago,
        span_ms=1000,
        in_flight=opened,
        held=0,
        arrivals=arrivals,
        completed=arrivals,
        late=late,
    )


def replicas(ready: int, starting: int = 0, opened: int = 0) -> tuple[ReplicaSeen, ...]:
    kinds = [Warmth.READY] * ready + [Warmth.STARTING] * starting
    return tuple(
        ReplicaSeen(f"r{number}", kind, opened * (kind is Warmth.READY), number)
        for number, kind in enumerate(kinds)
    )


def situation(
    ready: int, load: tuple[LoadSample, ...], minimum: int = 0, maximum: int = 100
) -> ScalingInput:
    """A service of 8 slots a replica and one second a request, whose starts take 30 seconds."""
    return ScalingInput(
        now_ms=NOW_MS,
        target=ServiceTarget(Quality.LATENCY, latency_ms=500, first_token=True),
        bounds=ReplicaBounds(minimum, maximum),
        replicas=replicas(ready),
        load=load,
        capacity=LearnedCapacity(open_requests=8, service_ms=1000, seen=100),
        cold_starts=ColdStarts(20_000, 30_000, seen=10),
        ages=InputAges(load_ms=0, replicas_ms=0),
    )


COUNTS = st.integers(0, 200)
SAMPLES = st.builds(
    LoadSample,
    at_ms=st.integers(NOW_MS - 120_000, NOW_MS),
    span_ms=st.just(1000),
    in_flight=COUNTS,
    held=COUNTS,
    arrivals=COUNTS,
    completed=COUNTS,
    late=st.just(0),
)
STATES = st.builds(
    ScalingState,
    needs=st.lists(
        st.tuples(st.integers(NOW_MS - 90_000, NOW_MS - 1), st.integers(0, 60)), max_size=20
    ).map(lambda needs: tuple(sorted(needs))),
    caution_micro=st.integers(2_330_000, 6_000_000),
    judged_until_ms=st.just(NOW_MS),
    quiet_since_ms=st.none() | st.integers(0, NOW_MS),
)
WORLDS = st.builds(
    ScalingInput,
    now_ms=st.just(NOW_MS),
    target=st.builds(
        ServiceTarget,
        st.sampled_from(Quality),
        latency_ms=st.integers(0, 20_000),
        first_token=st.booleans(),
        rate_milli=st.integers(0, 100_000),
    ),
    bounds=st.tuples(st.integers(0, 10), st.integers(0, 40)).map(
        lambda pair: ReplicaBounds(pair[0], pair[0] + pair[1])
    ),
    replicas=st.builds(replicas, st.integers(0, 30), st.integers(0, 10), st.integers(0, 9)),
    load=st.lists(SAMPLES, max_size=30).map(
        lambda load: tuple(sorted(load, key=lambda each: each.at_ms))
    ),
    capacity=st.builds(
        LearnedCapacity, st.integers(1, 64), st.integers(1, 60_000), st.integers(0, 3_000)
    ),
    cold_starts=st.builds(ColdStarts, st.integers(0, 60_000), st.integers(100, 120_000)),
    ages=st.just(InputAges(load_ms=0, replicas_ms=0)),
    forecast=st.none()
    | st.builds(
        DemandInterval,
        st.just(0),
        st.integers(0, 50_000),
        st.integers(50_000, 200_000),
        st.just(NOW_MS),
    ),
    state=STATES,
)


def doubled(given: ScalingInput) -> ScalingInput:
    """The same with twice the load."""
    return replace(
        given,
        load=tuple(
            replace(
                each, in_flight=2 * each.in_flight, held=2 * each.held, arrivals=2 * each.arrivals
            )
            for each in given.load
        ),
    )
