"""The week of the site: windows that wrap, overlap and touch, on any offset."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.model.calendar import MINUTE_MS, is_in_window, next_window_change
from scheduler.core.model.entities import Millis
from scheduler.core.model.policy import WEEK_MINUTES, WeekWindow
from scheduler.core.model.site_clock import OffsetChange, SiteClock

DAY = 24 * 60
NIGHTS = tuple(
    WeekWindow(day * DAY + 20 * 60, (day * DAY + DAY + 8 * 60) % WEEK_MINUTES) for day in range(7)
)
BEIJING = SiteClock(480)

moments = st.integers(0, 4 * WEEK_MINUTES).map(lambda minute: Millis(minute * MINUTE_MS + 59_999))
minutes = st.integers(0, WEEK_MINUTES - 1)
windows = st.lists(st.builds(WeekWindow, minutes, minutes), max_size=4)


def at(text: str, offset_min: int = 480) -> Millis:
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
    assert is_in_window(NIGHTS, noon_in_beijing, SiteClock(-8 * 60))


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


SPRING = at("2026-03-29T02:00:00", 60)
"""Berlin: two o'clock becomes three."""
AUTUMN = at("2026-10-25T03:00:00", 120)
"""Three o'clock becomes two."""
BERLIN = SiteClock(60, (OffsetChange(SPRING, 120), OffsetChange(AUTUMN, 60)))
SUNDAY = 6 * DAY


def test_an_hour_that_does_not_exist_is_in_no_window_and_shortens_those_around_it() -> None:
    missing_hour = (WeekWindow(SUNDAY + 120, SUNDAY + 180),)
    night = (WeekWindow(SUNDAY + 60, SUNDAY + 240),)

    assert next_window_change(missing_hour, Millis(SPRING - 1), BERLIN) == (
        at("2026-04-05T02:00:00", 120)
    )
    assert next_window_change(night, Millis(SPRING - 1), BERLIN) == at("2026-03-29T04:00:00", 120)
    assert is_in_window(night, Millis(SPRING + 59 * MINUTE_MS), BERLIN)
    assert not is_in_window(night, Millis(SPRING + 60 * MINUTE_MS), BERLIN)


def test_an_hour_that_comes_twice_opens_its_window_twice() -> None:
    hour = (WeekWindow(SUNDAY + 120, SUNDAY + 180),)
    first = at("2026-10-25T02:00:00", 120)

    assert next_window_change(hour, Millis(first - 1), BERLIN) == first
    # It does not close at three o'clock: that is two o'clock again.
    assert next_window_change(hour, first, BERLIN) == at("2026-10-25T03:00:00", 60)


def test_a_jump_of_the_clock_opens_and_closes_windows_by_itself() -> None:
    opens_within = (WeekWindow(SUNDAY + 150, SUNDAY + 600),)
    closes_within = (WeekWindow(SUNDAY, SUNDAY + 150),)

    assert next_window_change(opens_within, Millis(SPRING - 1), BERLIN) == SPRING
    assert next_window_change(closes_within, Millis(SPRING - 1), BERLIN) == SPRING


def test_changes_of_the_clock_are_in_order() -> None:
    with pytest.raises(ValueError, match="in order"):
        SiteClock(60, (OffsetChange(AUTUMN, 60), OffsetChange(SPRING, 120)))
    with pytest.raises(ValueError, match="within a day"):
        SiteClock(24 * 60)


offsets = st.integers(-840, 840)
clocks = st.builds(
    lambda offset, at_minutes, later: SiteClock(
        offset,
        tuple(
            OffsetChange(Millis(minute * MINUTE_MS), changed)
            for minute, changed in zip(sorted(at_minutes), later, strict=False)
        ),
    ),
    offsets,
    st.sets(st.integers(0, 5 * WEEK_MINUTES), max_size=3),
    st.lists(offsets, max_size=3),
)


@given(windows, moments, clocks)
def test_the_next_change_is_the_first_minute_that_differs(
    chosen: list[WeekWindow], now: Millis, clock: SiteClock
) -> None:
    inside = is_in_window(chosen, now, clock)
    change = next_window_change(chosen, now, clock)

    until = change if change is not None else now + 7 * WEEK_MINUTES * MINUTE_MS
    step = 97 * MINUTE_MS
    assert {is_in_window(chosen, Millis(t), clock) for t in range(now, until, step)} == {inside}
    if change is not None:
        assert now < change
        assert is_in_window(chosen, change, clock) is not inside
        assert is_in_window(chosen, Millis(change - 1), clock) is inside
