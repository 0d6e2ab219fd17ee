"""What waits inside servers, by their own word: a queue that stays corrects what a replica is believed to carry."""

from dataclasses import replace

from scheduler.scaling.load import carried, queued
from scheduler.scaling.rule import decide
from scheduler.scaling.values import InputAges, LearnedCapacity, LoadSample, ScalingInput
from tests.scheduler.scaling.worlds import sample, situation

WORD = LearnedCapacity(open_requests=32, service_ms=1000)
"""Of a preset: nothing was learned yet."""


def queueing(seconds: int, *, opened: int = 12, waiting: int = 8) -> tuple[LoadSample, ...]:
    """A minute with the same load, in the last seconds of which so many wait inside the servers."""
    return tuple(
        replace(sample(ago, opened, opened // 2), waiting=waiting if ago < seconds else 0)
        for ago in range(60, -1, -1)
    )


def believed(ready: int, load: tuple[LoadSample, ...]) -> ScalingInput:
    return replace(situation(ready, load), capacity=WORD)


def test_a_replica_carries_no_more_than_it_runs_while_others_wait_inside() -> None:
    given = believed(1, queueing(10))

    assert (queued(given), carried(given).open_requests) == (8, 4)
    decision = decide(given)
    assert decision.replicas is not None
    assert decision.replicas > 1
    assert dict(decision.reason.params)["per_replica"] == 4
    assert decide(believed(1, queueing(0))).replicas == 1


def test_a_queue_of_a_moment_says_nothing() -> None:
    for load in (queueing(5), queueing(10)[-5:]):
        given = believed(1, load)
        assert (queued(given), carried(given)) == (0, WORD)


def test_what_was_learned_from_answers_stands() -> None:
    learned = LearnedCapacity(open_requests=12, service_ms=1000, seen=500)
    assert carried(replace(believed(1, queueing(10)), capacity=learned)) == learned


def test_nobody_leaves_while_requests_wait_inside() -> None:
    few = queueing(60, opened=2, waiting=1)
    learned = LearnedCapacity(open_requests=12, service_ms=1000, seen=500)
    given = replace(believed(3, few), capacity=learned)

    decision = decide(given)
    assert (decision.replicas, decision.reason.code) == (3, "stays_for_now")
    assert decide(replace(given, load=queueing(0, opened=2))).replicas == 1


def test_a_server_that_tells_its_queue_no_more_keeps_the_size() -> None:
    given = replace(
        believed(3, queueing(0)), ages=InputAges(load_ms=0, replicas_ms=0, waiting_ms=10_001)
    )

    decision = decide(given)
    assert (decision.replicas, decision.reason.code) == (None, "stale_waiting")
    assert dict(decision.reason.params) == {"age_ms": 10_001, "limit_ms": 10_000}
