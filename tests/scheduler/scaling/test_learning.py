"""What the past of a service teaches."""

from scheduler.scaling.learning import (
    CurvePoint,
    knee,
    learned_starts,
    service_time_ms,
    with_answers,
)
from scheduler.scaling.values import ColdStarts
from tests.scheduler.scaling.worlds import sample


def test_nodes_with_a_past_speak_for_themselves() -> None:
    elsewhere = [40_000] * 50

    assert learned_starts([4_000] * 5, elsewhere) == ColdStarts(4_000, 4_000, None, 5)
    assert learned_starts([4_000] * 4, elsewhere).p90_ms == 40_000
    assert learned_starts([], []) == ColdStarts()


def test_slow_starts_count_and_old_ones_do_not() -> None:
    starts = [90_000] * 100 + [1_000] * 85 + [60_000] * 15

    assert learned_starts(starts, []) == ColdStarts(1_000, 60_000, None, 200)
    assert learned_starts(starts, [], wakes=[300, 500]).wake_ms == 500


def test_time_of_a_request_follows_from_what_is_open_and_answered() -> None:
    assert service_time_ms([sample(ago, 30, 10) for ago in range(60)], otherwise=7) == 3_000
    assert service_time_ms([sample(1, 30)], otherwise=7) == 7


def learned(slots: int, rounds: int) -> int:
    """The knee of a replica that slows down beyond its slots, tried at the level believed so far."""
    curve: tuple[CurvePoint, ...] = ()
    level = 2
    for _ in range(rounds):
        latency = 100 if level <= slots else 100 * level * level // (slots * slots)
        curve = with_answers(curve, level, latency, 20)
        level = knee(curve, 120, preset=2, most=64)
    return level


def test_knee_is_found_from_below_and_kept() -> None:
    assert [learned(16, rounds) for rounds in (1, 30, 31, 60)] == [3, 15, 15, 15]  # 18 was too many


def test_preset_stands_until_something_was_seen() -> None:
    assert knee((), 100, preset=8, most=64) == 8
    assert knee((CurvePoint(20, 900, 5),), 100, preset=8, most=64) == 8


def test_a_level_that_misses_bounds_the_preset() -> None:
    assert knee((CurvePoint(8, 900, 50),), 100, preset=8, most=64) == 4
