"""A line keeps its shape and its extremes in a bounded number of points."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from portal.training_metrics.thinning import (
    POINTS_MAX,
    LinePoint,
    ThinnedLine,
    extremes,
    thin,
)


def a_line(values: list[float | None]) -> ThinnedLine:
    line = ThinnedLine([])
    for step, value in enumerate(values):
        line.add(step, step * 1000, value)
    return line


def test_a_short_line_is_kept_as_it_is() -> None:
    line = a_line([3.0, None, 1.0])

    assert [point.mean for point in line.points] == [3.0, None, 1.0]


def test_values_of_one_step_are_one_point() -> None:
    line = ThinnedLine([])
    for value in (1.0, 2.0, 6.0):
        line.add(5, 0, value)

    [(step, _, mean, low, high)] = line.points
    assert (step, low, high) == (5, 1.0, 6.0)
    assert mean == pytest.approx(3.0)


def test_a_hundred_thousand_values_are_few_points_evenly_spread() -> None:
    line = a_line([float(step) for step in range(100_000)])

    assert POINTS_MAX // 2 <= line.length <= POINTS_MAX
    gaps = {
        right.step - left.step for left, right in zip(line.points, line.points[1:], strict=False)
    }
    assert len(gaps - {line.points[-1].step - line.points[-2].step}) == 1
    assert line.points[-1].step == 99_999


def test_a_resumed_line_is_cut_and_goes_on() -> None:
    line = a_line([1.0] * 5000)
    line.cut(3000)
    line.add(3000, 0, 9.0)

    assert line.points[-1] == LinePoint(3000, 0, 9.0, 9.0, 9.0)
    assert max(point.step for point in line.points[:-1]) < 3000


@settings(max_examples=30, deadline=None)
@given(
    values=some.lists(some.none() | some.floats(-1e6, 1e6), min_size=1, max_size=400),
    times=some.integers(1, 12),
)
def test_no_spike_is_lost_and_means_stay_between(values: list[float | None], times: int) -> None:
    line = a_line(values * times)
    known = [value for value in values if value is not None]
    low, high = extremes(line.points)

    assert line.length <= POINTS_MAX
    assert (low and low.low) == (min(known) if known else None)
    assert (high and high.high) == (max(known) if known else None)
    for point in [*line.points, *thin(line.points, 10)]:
        if point.mean is not None and point.low is not None and point.high is not None:
            slack = 1e-6 * max(1.0, abs(point.low), abs(point.high))
            assert point.low - slack <= point.mean <= point.high + slack
            assert math.isfinite(point.mean)
    assert len(thin(line.points, 10)) <= 10
