"""How the number of replicas follows the load, with the reason that is said."""

from dataclasses import replace

import pytest

from scheduler.scaling.rule import decide
from scheduler.scaling.state import ScalingState
from scheduler.scaling.values import (
    ColdStarts,
    DemandInterval,
    Quality,
    ReplicaSeen,
    ScalingInput,
    ServiceTarget,
    Warmth,
)
from tests.scheduler.scaling.worlds import NOW_MS, replicas, sample, situation

SECOND = 1_000


def followed(start: ScalingInput, opened: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Play (requests open, arrivals) second by second; replicas are there at once.

    Returns:
        (second, replicas) of each change.
    """
    now, size, state, changes = start.now_ms, start.size, start.state, []
    load = list(start.load)
    for second, (open_requests, arrivals) in enumerate(opened):
        now += SECOND
        load.append(replace(sample(0, open_requests, arrivals), at_ms=now))
        decision = decide(
            replace(
                start, now_ms=now, load=tuple(load[-120:]), replicas=replicas(size), state=state
            )
        )
        assert decision.replicas is not None
        if decision.replicas != size:
            changes.append((second, decision.replicas))
        size, state = decision.replicas, decision.state
    return changes


def test_a_step_is_answered_with_the_first_sample_of_it() -> None:
    quiet = tuple(sample(ago, 1, 1) for ago in range(60, 0, -1))

    decision = decide(situation(1, (*quiet, sample(0, 200, 200))))

    assert decision.reason.code == "step"
    assert dict(decision.reason.params) == {
        "before": 1,
        "open": 200,
        "per_replica": 8,
        "replicas": 17,
        "needed": 17,
    }  # 200 a second for half a second of patience: two thirds of 200 slots at once


def test_steady_load_keeps_the_number() -> None:
    steady = tuple(sample(ago, 20, 20) for ago in range(60, -1, -1))
    size = decide(situation(0, steady)).replicas

    assert size == 3  # 20 slots, and 2.33 deviations of their number
    assert followed(situation(3, steady), [(20, 20)] * 300) == []


def test_fewer_come_after_one_cold_start_and_a_half() -> None:
    busy = tuple(sample(ago, 40, 40) for ago in range(60, -1, -1))
    start = replace(situation(7, busy), state=ScalingState(needs=((NOW_MS, 7),)))

    changes = followed(start, [(8, 8)] * 200)

    assert changes[0][0] >= 44
    assert [size for _, size in changes] == sorted((size for _, size in changes), reverse=True)


def test_dear_misses_keep_what_is_unneeded_for_longer() -> None:
    quiet = tuple(sample(ago, 8, 8) for ago in range(60, -1, -1))
    start = replace(situation(7, quiet), state=ScalingState(needs=((NOW_MS, 7),)))
    dear = replace(start, bounds=replace(start.bounds, price_factor_permille=3_000))

    assert followed(start, [(8, 8)] * 200)[0] == (44, 2)
    assert followed(dear, [(8, 8)] * 200)[0] == (134, 2)


def test_zero_comes_after_the_quiet_time_and_ends_with_the_first_request() -> None:
    start = situation(1, (sample(0, 1, 1),))

    changes = followed(start, [(0, 0)] * 700 + [(1, 1)])

    assert changes == [(601, 0), (700, 1)]


def test_where_a_wake_up_fits_into_the_target_the_last_one_sleeps_soon() -> None:
    start = situation(1, (sample(0, 1, 1),))
    sleepy = replace(
        start,
        cold_starts=ColdStarts(20_000, 30_000, wake_ms=400, seen=10),
        replicas=(ReplicaSeen("asleep", Warmth.ASLEEP),),
        state=ScalingState(quiet_since_ms=NOW_MS - 70_000),
        load=(),
    )

    asked = replace(sleepy, replicas=(*sleepy.replicas, *replicas(1)))

    assert decide(asked).replicas == 0
    assert decide(asked).reason.code == "to_zero"
    assert decide(asked).leaving == ("r0",)


def test_late_answers_make_it_more_careful_once_a_cold_start() -> None:
    load = tuple(sample(ago, 20, 20, late=3 * (ago < 5)) for ago in range(60, -1, -1))
    start = replace(situation(4, load), state=ScalingState(judged_until_ms=NOW_MS - 5_000))

    first = decide(start)
    again = decide(
        replace(
            start,
            now_ms=NOW_MS + SECOND,
            load=(*load, replace(sample(0, 20, 20, late=5), at_ms=NOW_MS + SECOND)),
            state=first.state,
        )
    )

    assert first.state.caution_micro == 2_330_000 + 500_000 - 85 * 100_000 * 5 // 995
    assert again.state.caution_micro < first.state.caution_micro


def test_a_forecast_adds_and_never_takes_away() -> None:
    steady = tuple(sample(ago, 20, 20) for ago in range(60, -1, -1))
    low, high = (DemandInterval(0, 0, each, NOW_MS) for each in (1_000, 90_000))

    assert decide(replace(situation(4, steady), forecast=low)).replicas == 3
    told = decide(replace(situation(4, steady), forecast=high))
    assert (told.replicas, told.reason.code) == (8, "forecast")


def test_an_old_forecast_is_not_used() -> None:
    steady = tuple(sample(ago, 20, 20) for ago in range(60, -1, -1))
    old = DemandInterval(0, 0, 90_000, NOW_MS - 7_200_001)

    assert decide(replace(situation(4, steady), forecast=old)).replicas == 3


@pytest.mark.parametrize(("opened", "replicas_wanted"), [(0, 0), (8, 1), (100, 5)])
def test_throughput_runs_what_the_rate_takes_and_nothing_when_nothing_waits(
    opened: int, replicas_wanted: int
) -> None:
    target = ServiceTarget(Quality.THROUGHPUT, rate_milli=40_000)

    decision = decide(replace(situation(0, (sample(0, opened, 1),)), target=target))

    assert decision.replicas == replicas_wanted


def test_more_than_may_run_is_said() -> None:
    decision = decide(situation(2, (sample(0, 400, 400),), maximum=2))

    assert decision.replicas == 2
    assert (decision.reason.code, dict(decision.reason.params)["maximum"]) == ("at_maximum", 2)


def test_who_starts_leaves_first_then_who_has_least_to_answer() -> None:
    quiet = tuple(sample(ago, 2, 1) for ago in range(60, -1, -1))
    seen = (
        ReplicaSeen("busy", Warmth.READY, 2, since_ms=1),
        ReplicaSeen("idle", Warmth.READY, 0, since_ms=2),
        ReplicaSeen("starting", Warmth.STARTING, 0, since_ms=3),
    )

    decision = decide(replace(situation(0, quiet), replicas=seen))

    assert (decision.replicas, decision.leaving) == (1, ("starting", "idle"))


def test_a_target_of_whole_answers_leaves_less_to_wait_than_one_of_first_tokens() -> None:
    start = situation(1, (sample(0, 80, 80),))
    first, whole = (
        replace(start.target, latency_ms=2_000, first_token=first) for first in (True, False)
    )

    assert decide(replace(start, target=first)).replicas == 4  # 80 slots, two seconds to wait
    assert decide(replace(start, target=whole)).replicas == 5  # one second to wait
