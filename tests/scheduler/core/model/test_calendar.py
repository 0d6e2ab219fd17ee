"""The week of the site: windows that wrap, overlap and touch, on any offset."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.model.calendar import MINUTE_MS, is_in_window, next_window_change
from scheduler.core.model.entities import Millis
from scheduler.core.model.policy import WEEK_MINUTES, WeekWindow

DAY = 24 * 60
NIGHTS = tuple(
    WeekWindow(day * DAY + 20 * 60, (day * DAY + DAY + 8 * 60) % WEEK_MINUTES) for day in range(7)
)
BEIJING = 480

moments = st.integers(0, 4 * WEEK_MINUTES).map(lambda minute: Millis(minute * MINUTE_MS + 59_999))
minutes = st.integers(0, WEEK_MINUTES - 1)
windows = st.lists(st.builds(WeekWindow, minutes, minutes), max_size=4)


def at(text: str, offset_min: int = BEIJING) -> Millis:
    """Read a local date and time of the site."""
    zone = timezone(timedelta(minutes=offset_min))
    moment = datetime.fromisoformat(text).replace(tzinfo=zone)
    return Millis(int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1)))


@pytest.mark.parametrize(
    ("moment", "inside"),
    [
        ("2026-11-16T07:59:59", True),
        ("2026-11-16T08:00:00", False),
        ("2026-11-16T19:59:59", False),
        ("2026-11-16T20:00:00", True),
        ("2026-11-22T23:59:59", True),
        ("2026-11-23T00:00:00", True),
    ],
)
def test_a_night_runs_from_evening_to_morning_on_the_clock_of_the_site(
    moment: str, inside: bool
) -> None:
    assert is_in_window(NIGHTS, at(moment), BEIJING) is inside


def test_the_same_moment_is_day_at_one_site_and_night_at_another() -> None:
    noon_in_beijing = at("2026-11-18T12:00:00")

    assert not is_in_window(NIGHTS, noon_in_beijing, BEIJING)
    assert is_in_window(NIGHTS, noon_in_beijing, -8 * 60)


def test_the_next_change_of_a_night_is_its_morning() -> None:
    assert next_window_change(NIGHTS, at("2026-11-22T23:00:00"), BEIJING) == at(
        "2026-11-23T08:00:00"
    )


def test_without_windows_the_whole_week_is_inside_and_nothing_changes() -> None:
    assert is_in_window((), at("2026-11-18T12:00:00"), BEIJING)
    assert next_window_change((), at("2026-11-18T12:00:00"), BEIJING) is None


def test_windows_that_touch_are_one() -> None:
    weekend = (WeekWindow(5 * DAY, 6 * DAY), WeekWindow(6 * DAY, 0))

    assert next_window_change(weekend, at("2026-11-21T12:00:00"), BEIJING) == at(
        "2026-11-23T00:00:00"
    )


@given(windows, moments, st.integers(-840, 840))
def test_the_next_change_is_the_first_minute_that_differs(
    chosen: list[WeekWindow], now: Millis, offset: int
) -> None:
    inside = is_in_window(chosen, now, offset)
    change = next_window_change(chosen, now, offset)

    if change is None:
        later = range(1, WEEK_MINUTES, 97)
        same = [is_in_window(chosen, Millis(now + m * MINUTE_MS), offset) for m in later]
        assert set(same) == {inside}
        return
    assert now < change <= now + WEEK_MINUTES * MINUTE_MS
    assert is_in_window(chosen, change, offset) is not inside
    assert is_in_window(chosen, Millis(change - 1), offset) is inside
