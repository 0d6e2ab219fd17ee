"""The simulated service and the oracle, on requests few enough to count by hand; the rules on drawn ones."""

import random

import pytest

from bench.scaling.oracle import oracle
from bench.scaling.play import Played, Rule, Scene, Start, play
from bench.scaling.rules import Berth, HuggingFace, Knative, RayServe, Static
from bench.scaling.traffic import Traffic
from scheduler.scaling.values import DemandInterval, ReplicaBounds

BOUNDS = ReplicaBounds(1, 50)
COLD_MS = (20_000, 25_000, 40_000)


def drawn(seconds: int, rate: float, service_ms: int, slots: int, slack_ms: int) -> Traffic:
    """Arrivals by chance, the same in each run."""
    chance = random.Random("requests")
    moments = sorted(chance.randrange(seconds * 1000) for _ in range(round(seconds * rate)))
    services = tuple(max(1, round(chance.expovariate(1 / service_ms))) for _ in moments)
    return Traffic(tuple(moments), services, slots, slack_ms)


STEADY = drawn(1_800, rate=5.0, service_ms=6_000, slots=8, slack_ms=2_000)


def played(traffic: Traffic, rule: Rule, first: int = 5) -> Played:
    return play(traffic, rule, Start(COLD_MS, first, scored_from=300_000))


def test_requests_wait_for_a_slot_and_are_late_beyond_their_slack() -> None:
    traffic = Traffic((0, 0, 0), (1_000, 1_000, 1_000), slots=1, slack_ms=1_500)

    result = play(traffic, Static(1), Start((5_000,), 1))

    assert (result.requests, result.in_time, result.replica_ms) == (3, 2, 3_000)


def test_a_replica_costs_from_the_order_and_answers_when_it_is_ready() -> None:
    traffic = Traffic((0,), (1_000,), slots=1, slack_ms=6_000)

    result = play(traffic, Static(1), Start((5_000,), 0))

    assert (result.in_time, result.replica_ms) == (1, 7_000 - 1_000)


def test_who_leaves_answers_what_it_has_and_gets_nothing_new() -> None:
    def one_leaves(scene: Scene) -> int:
        return 1 if scene.now >= 1_000 else 2

    traffic = Traffic((0, 0, 1_500), (4_000, 4_000, 100), slots=1, slack_ms=0)

    result = play(traffic, one_leaves, Start((5_000,), 2))

    assert result.in_time == 2  # the third waits for the one that stays
    assert result.replica_ms == 4_000 + 5_000


def test_the_oracle_keeps_a_replica_through_a_gap_shorter_than_a_start() -> None:
    near = Traffic((0, 8_000), (1_000, 1_000), slots=1, slack_ms=0)
    far = Traffic((100_000, 200_000), (1_000, 1_000), slots=1, slack_ms=0)

    assert oracle(near, 10_000, 0, 0).all_in_time == 9_000
    assert oracle(far, 10_000, 0, 0).all_in_time == 2 * 11_000
    assert oracle(far, 10_000, 0, 500).promised == 11_000


def test_the_oracle_lets_requests_wait_as_long_as_they_may() -> None:
    both = Traffic((50_000, 50_000), (1_000, 1_000), slots=1, slack_ms=1_000)

    assert oracle(both, 10_000, 0, 0).all_in_time == 12_000


def test_ours_keeps_the_promise_near_the_oracle_and_does_not_swing() -> None:
    known = oracle(STEADY, 28_333, 1, 10, scored_from=300_000)

    result = played(STEADY, Berth(STEADY, BOUNDS))

    assert result.attained >= 0.99
    assert result.replica_ms <= 1.25 * known.all_in_time
    assert result.most_turns(60_000) <= 1


@pytest.mark.parametrize("other", [Knative, RayServe])
def test_others_pay_more_for_the_same_promise(other: type[Knative | RayServe]) -> None:
    ours = played(STEADY, Berth(STEADY, BOUNDS))
    theirs = played(STEADY, other(STEADY, BOUNDS))

    assert theirs.attained >= 0.99
    assert ours.replica_ms < theirs.replica_ms


def test_what_looks_at_busy_slots_each_minute_grows_too_late() -> None:
    begin = Start(COLD_MS, 1, scored_from=90_000)

    assert play(STEADY, Berth(STEADY, BOUNDS), begin).attained >= 0.99
    assert play(STEADY, HuggingFace(STEADY, BOUNDS), begin).attained < 0.95


def test_a_step_is_asked_for_within_two_seconds() -> None:
    moments = tuple(range(0, 60_000, 1_000)) + (60_000,) * 20
    traffic = Traffic(moments, (1_000,) * 60 + (30_000,) * 20, slots=1, slack_ms=100)

    result = play(traffic, Berth(traffic, BOUNDS), Start(COLD_MS, 3))

    grown = next(at for at, size in result.sizes if size >= 20)
    assert grown - 60_000 <= 2_000


def test_noise_as_a_forecast_costs_little_and_no_attainment() -> None:
    chance = random.Random("noise")
    hours = range(STEADY.arrivals[-1] // 3_600_000 + 1)
    noise = {
        hour: DemandInterval(0, 5_000, chance.randrange(2_000, 7_000), hour * 3_600_000)
        for hour in hours
    }

    without = played(STEADY, Berth(STEADY, BOUNDS))
    misled = played(STEADY, Berth(STEADY, BOUNDS, noise))

    assert misled.attained >= without.attained
    assert misled.replica_ms <= 1.1 * without.replica_ms
