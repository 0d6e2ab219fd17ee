"""How sure expected starts are: what is said of the next ones holds for them, and nothing is made up."""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import EstimateBasis, StartRange
from scheduler.core.reservation.start_accuracy import (
    BUCKETS,
    ESTIMATES_NEEDED,
    SHORTEST_MS,
    WEEKS_KEPT,
    JudgedStart,
    StartSpread,
    bucket_of,
    class_of,
    find_spread,
    find_spreads,
    stretch,
    with_judged,
)

MINUTE = 60_000
NOW = Millis(10**12)
Past = Callable[[Random], tuple[int, int]]
"""Draws how long a start was expected to take at the most, and how long it took."""

PASTS: dict[str, Past] = {
    "limits that nobody needs": lambda draw: _wait(draw, lambda most: most * draw.random() ** 2),
    "short work that goes first": lambda draw: _wait(
        draw, lambda most: most * math.exp(draw.gauss(0.3, 0.4))
    ),
    "mostly exact, and now and then days late": lambda draw: _wait(
        draw, lambda most: most if draw.random() < 0.85 else most + 86_400_000
    ),
    "either at once or not before the end": lambda draw: _wait(
        draw, lambda most: draw.choice([0, most])
    ),
    "nothing of it ever right": lambda draw: _wait(draw, lambda most: most * 40),
}


def _wait(draw: Random, real: Callable[[int], float]) -> tuple[int, int]:
    most = int(MINUTE * math.exp(draw.uniform(0, 7)))
    return most, int(real(most))


@pytest.mark.parametrize("past", PASTS.values(), ids=PASTS)
@pytest.mark.parametrize("estimates", [200, 1000, 5000])
def test_what_is_said_holds_for_the_next_estimates(past: Past, estimates: int) -> None:
    draw = Random(estimates)
    known, rest = ([past(draw) for _ in range(estimates)] for _ in range(2))

    spread = find_spread(_counted(known))

    assert spread is not None
    inside = sum(_is_inside(most, waited, spread) for most, waited in rest)
    tolerance = 100 * 2 * math.sqrt(0.25 / estimates) + 1
    assert inside * 100 / estimates == pytest.approx(spread.percent, abs=tolerance)


@pytest.mark.parametrize("past", list(PASTS.values())[:4], ids=list(PASTS)[:4])
def test_it_is_right_eight_times_of_ten_where_the_past_allows(past: Past) -> None:
    spread = find_spread(_counted([past(Random(seed)) for seed in range(1000)]))

    assert spread is not None
    assert spread.percent >= 79


def test_with_too_few_nothing_is_said() -> None:
    judged = [(MINUTE, MINUTE)] * ESTIMATES_NEEDED

    assert find_spread(_counted(judged[1:])) is None
    assert find_spread(_counted(judged)) is not None


def test_one_that_was_far_off_changes_little() -> None:
    exact = [(10 * MINUTE, 10 * MINUTE)] * 60
    spread = find_spread(_counted(exact))

    assert spread == StartSpread(low=917_004, high=1_000_000, percent=98, estimates=60)
    assert find_spread(_counted([*exact, (MINUTE, 99 * MINUTE)])) == replace(
        spread, percent=96, estimates=61
    )


@pytest.mark.parametrize(
    ("expected_ms", "waited_ms", "bucket"),
    [
        (16 * MINUTE, 0, 0),
        (16 * MINUTE, MINUTE, 0),
        (16 * MINUTE, MINUTE + 1, 1),
        (16 * MINUTE, 16 * MINUTE, 32),
        (16 * MINUTE, 16 * MINUTE + 1, 33),
        (MINUTE, 16 * MINUTE, BUCKETS - 2),
        (MINUTE, 16 * MINUTE + 1, BUCKETS - 1),
        (0, SHORTEST_MS, 32),
        (MINUTE, -5, 0),
    ],
)
def test_a_wait_counts_by_its_part_of_what_was_expected(
    expected_ms: int, waited_ms: int, bucket: int
) -> None:
    assert bucket_of(expected_ms, waited_ms) == bucket


def test_minutes_and_days_are_told_apart() -> None:
    assert [class_of(minutes * MINUTE) for minutes in (0, 15, 16, 120, 121)] == [0, 0, 1, 1, 2]


EXPECTED = StartRange(Millis(NOW + MINUTE), Millis(NOW + 10 * MINUTE), EstimateBasis.PREDICTIONS)
WIDE = StartSpread(low=500_000, high=2_000_000, percent=81, estimates=77)


def test_the_range_is_that_of_the_past_and_says_how_sure() -> None:
    found = stretch(EXPECTED, NOW, WIDE)

    assert (found.earliest, found.latest) == (NOW + 5 * MINUTE, NOW + 20 * MINUTE)
    assert (found.sure_percent, found.estimates) == (81, 77)


def test_without_a_past_it_stays_and_says_nothing() -> None:
    assert stretch(EXPECTED, NOW, None) == EXPECTED
    assert EXPECTED.sure_percent is None


def test_a_promise_gets_no_later() -> None:
    late = replace(WIDE, low=1_500_000)
    found = stretch(replace(EXPECTED, is_promised=True), NOW, late)

    assert found.earliest == found.latest == EXPECTED.latest


def test_what_is_due_already_counts_as_a_minute() -> None:
    found = stretch(replace(EXPECTED, latest=NOW), NOW, WIDE)

    assert found.latest == NOW + 2 * SHORTEST_MS


def test_weeks_that_are_too_long_ago_no_longer_count() -> None:
    week_ms = 7 * 86_400_000
    now_ms = 3000 * week_ms
    old = JudgedStart("limits", 60 * MINUTE, 0, now_ms - WEEKS_KEPT * week_ms)
    counts = with_judged({}, [old] * 40, old.at_ms)
    assert "limits:1" in find_spreads(counts)

    kept = with_judged(counts, [old._replace(at_ms=now_ms)], now_ms)

    assert find_spreads(kept) == {}
    assert list(kept) == ["3000"]


def test_rare_lengths_are_answered_by_all_of_the_same_basis() -> None:
    short = JudgedStart("predictions", 5 * MINUTE, 5 * MINUTE, 0)
    long = JudgedStart("predictions", 600 * MINUTE, 600 * MINUTE, 0)

    spreads = find_spreads(with_judged({}, [short] * 29 + [long], 0))

    assert list(spreads) == ["predictions"]
    assert spreads["predictions"][3] == 30


def _counted(past: list[tuple[int, int]]) -> list[int]:
    counts = [0] * BUCKETS
    for most, waited in past:
        counts[bucket_of(most, waited)] += 1
    return counts


def _is_inside(most: int, waited: int, spread: StartSpread) -> bool:
    expected = StartRange(NOW, Millis(NOW + most), EstimateBasis.LIMITS)
    found = stretch(expected, NOW, spread)
    return found.earliest <= NOW + waited <= found.latest + 1
