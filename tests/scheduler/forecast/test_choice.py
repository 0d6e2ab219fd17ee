"""Forecasts by hour: the seasonal models, the choice between models, and intervals that hold."""

import random
from collections.abc import Sequence

from scheduler.forecast.choice import (
    NAIVE,
    SEASONAL,
    back_tested,
    chosen,
    forecast,
)
from scheduler.forecast.seasonal import DAY, WEEK, seasonal_median, seasonal_naive

DAYS = 35


def week(hours: int, noise: int = 0) -> list[int]:
    """Busy from nine to six, less at weekends; the noise is the same in each run."""
    chance = random.Random("demand")
    return [
        max(0, busy + chance.randint(-noise, noise))
        for hour in range(hours)
        for busy in [(200 if 9 <= hour % DAY < 18 else 20) // (4 if hour // DAY % 7 >= 5 else 1)]
    ]


def test_naive_repeats_the_week_or_the_day_or_the_hour() -> None:
    past = week(3 * WEEK)

    assert seasonal_naive(past, WEEK) == past[-WEEK:]
    assert seasonal_naive(past[: 3 * DAY], DAY) == past[:DAY]
    assert seasonal_naive([7], 2) == [7, 7]
    assert seasonal_naive([], 2) == [0, 0]


def test_median_forgets_an_odd_day() -> None:
    past = week(4 * WEEK)
    odd = [*past[:-DAY], *([9_999] * DAY)]

    assert seasonal_median(odd, WEEK) == past[-WEEK:]
    assert seasonal_naive(odd, WEEK) != past[-WEEK:]


def test_the_better_model_is_chosen_on_days_it_has_not_seen() -> None:
    tested = back_tested(week(DAYS * DAY, noise=20), SEASONAL)

    best = chosen(tested)

    assert [each.model for each in tested] == [NAIVE, "seasonal_median"]
    assert best is not None
    assert best.model == "seasonal_median"
    assert best.against_naive_permille < 950


def test_naive_stays_unless_another_is_clearly_better() -> None:
    def as_naive(past: Sequence[int], ahead: int) -> list[int]:
        return seasonal_naive(past, ahead)

    best = chosen(back_tested(week(DAYS * DAY, noise=20), {"copy": as_naive}))

    assert best is not None
    assert best.model == NAIVE


def test_too_short_a_past_has_no_accuracy() -> None:
    assert back_tested(week(2 * DAY), SEASONAL) == []
    assert chosen([]) is None


def test_intervals_hold_as_often_as_they_say() -> None:
    past = week(DAYS * DAY, noise=20)
    held = hours = 0
    for origin in range(28 * DAY, DAYS * DAY, DAY):
        best = chosen(back_tested(past[:origin], SEASONAL))
        assert best is not None
        told = forecast(past[:origin], DAY, SEASONAL[best.model], best)
        came = past[origin : origin + DAY]
        held += sum(a <= b <= c for a, b, c in zip(told.low, came, told.high, strict=True))
        hours += DAY

    assert held / hours >= 0.85


def test_noise_is_met_with_wide_intervals() -> None:
    quiet, noisy = (chosen(back_tested(week(DAYS * DAY, n), SEASONAL)) for n in (2, 40))

    assert quiet is not None
    assert noisy is not None
    assert noisy.width_milli > 3 * quiet.width_milli
