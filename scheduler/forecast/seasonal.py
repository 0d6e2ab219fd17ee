"""Forecasts that need nothing but the past: the same hour a season ago, and the middle of several.

A series is requests (or GPU-hours in thousandths) by hour, oldest first, gaps filled with 0.
"""

from collections.abc import Callable, Sequence
from statistics import median_low
from typing import Final

DAY: Final = 24
WEEK: Final = 168
SEASONS: Final = 4
"""The middle is taken of so many seasons at most."""

PointModel = Callable[[Sequence[int], int], list[int]]
"""(the past, hours ahead) -> one whole number for each hour ahead, never negative."""


def season_of(past: Sequence[int]) -> int:
    """Return the longest season that was seen twice: a week, a day, else the last hour alone."""
    return next((season for season in (WEEK, DAY) if len(past) >= 2 * season), 1)


def seasonal_naive(past: Sequence[int], ahead: int) -> list[int]:
    """Return the same hour of the last season; zeros without any past."""
    season = season_of(past)
    last = list(past[-season:]) or [0]
    return [last[hour % len(last)] for hour in range(ahead)]


def seasonal_median(past: Sequence[int], ahead: int) -> list[int]:
    """Return the middle of the same hour of the last seasons, so one odd day is not repeated."""
    season = season_of(past)
    found = []
    for hour in range(ahead):
        offset = hour % season
        same = [past[i] for i in range(len(past) - season + offset, -1, -season)][:SEASONS]
        found.append(median_low(same) if same else 0)
    return found
