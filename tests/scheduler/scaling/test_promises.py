"""The rule keeps its promises in every situation, and each promise notices the bug it is there for."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.scaling.load import open_now
from scheduler.scaling.rule import decide
from scheduler.scaling.values import (
    DemandInterval,
    InputAges,
    ReplicaSeen,
    ScalingDecision,
    ScalingInput,
    Warmth,
)
from tests.scheduler.scaling.promises import (
    PROMISES,
    Decide,
    carries_what_is_open,
    keeps_its_size_when_stale,
    more_load_never_means_fewer,
    names_who_leaves,
    stays_where_it_came_to,
    within_bounds,
    zero_only_when_quiet,
)
from tests.scheduler.scaling.worlds import WORLDS, sample, situation


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
@given(data=st.data())
def test_promise_is_kept(
    promise: Callable[[Decide, ScalingInput], bool], data: st.DataObject
) -> None:
    world = data.draw(WORLDS)

    assert promise(decide, world), decide(world)


def beyond_the_maximum(world: ScalingInput) -> ScalingDecision:
    decision = decide(world)
    return replace(decision, replicas=(decision.replicas or 0) + 1)


def to_zero_under_load(world: ScalingInput) -> ScalingDecision:
    few = open_now(world) < 3
    return replace(decide(world), replicas=0) if few else decide(world)


def drops_most(world: ScalingInput) -> ScalingDecision:
    return replace(decide(world), replicas=world.size // 8)


def lets_the_busiest_go(world: ScalingInput) -> ScalingDecision:
    decision = decide(world)
    by_load = sorted(world.replicas, key=lambda seen: -seen.open_requests)
    return replace(decision, leaving=tuple(seen.key for seen in by_load[: len(decision.leaving)]))


def trusts_old_numbers(world: ScalingInput) -> ScalingDecision:
    return decide(replace(world, ages=InputAges(load_ms=0, replicas_ms=0)))


def gives_up_under_load(world: ScalingInput) -> ScalingDecision:
    crowded = open_now(world) > 100
    return replace(decide(world), replicas=0) if crowded else decide(world)


def goes_on_shrinking(world: ScalingInput) -> ScalingDecision:
    return replace(decide(world), replicas=world.size - 1, leaving=(world.replicas[0].key,))


UNEVEN = (
    ReplicaSeen("busy", Warmth.READY, 3),
    ReplicaSeen("idle", Warmth.READY, 0),
    ReplicaSeen("idler", Warmth.READY, 0),
)


@pytest.mark.parametrize(
    ("bug", "promise", "world"),
    [
        (beyond_the_maximum, within_bounds, situation(1, (sample(0, 200, 200),), maximum=2)),
        (to_zero_under_load, zero_only_when_quiet, situation(1, (sample(0, 1, 1),))),
        (drops_most, carries_what_is_open, situation(8, (sample(0, 60, 60),))),
        (
            lets_the_busiest_go,
            names_who_leaves,
            replace(situation(0, (sample(0, 3, 1),)), replicas=UNEVEN),
        ),
        (trusts_old_numbers, keeps_its_size_when_stale, situation(2, (sample(0, 60, 60),))),
        (gives_up_under_load, more_load_never_means_fewer, situation(8, (sample(0, 60, 60),))),
        (goes_on_shrinking, stays_where_it_came_to, situation(8, (sample(0, 60, 60),))),
    ],
    ids=lambda value: getattr(value, "__name__", "world"),
)
def test_planted_bug_breaks_its_promise(
    bug: Decide, promise: Callable[[Decide, ScalingInput], bool], world: ScalingInput
) -> None:
    assert promise(decide, world)
    assert not promise(bug, world)


@given(WORLDS, st.integers(0, 10**9), st.integers(0, 10**9))
def test_whatever_a_forecast_says_it_costs_efficiency_only(
    world: ScalingInput, high_milli: int, age_ms: int
) -> None:
    told = DemandInterval(0, high_milli // 2, high_milli, world.now_ms - age_ms)
    without = decide(replace(world, forecast=None))
    decision = decide(replace(world, forecast=told))

    if without.replicas is None or decision.replicas is None:
        assert without.replicas == decision.replicas
        return
    assert decision.replicas >= without.replicas
    assert decision.replicas <= max(world.bounds.maximum, without.replicas)
    if age_ms > world.ages.forecast_limit_ms:
        assert decision == without
