"""Days and periods of the site: on any clock, and across a change of it, each moment counts once."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.common.clock import list_time_zones, to_millis
from portal.site.days import SiteDays, build_clock
from scheduler.core.model.entities import Millis

SHANGHAI, BERLIN, UTC_ZONE = "Asia/Shanghai", "Europe/Berlin", "UTC"
CURIOUS = (
    *(SHANGHAI, BERLIN, UTC_ZONE, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"),
    # Midnight is skipped, or comes twice.
    *("America/Havana", "America/Santiago", "Africa/Cairo", "Asia/Beirut", "Pacific/Kiritimati"),
)
"""Offsets of quarters of an hour, jumps of half an hour, and days a whole day apart."""

zones = st.sampled_from(CURIOUS)
moments = st.integers(0, 2 * 366 * 24 * 60).map(
    lambda minute: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_day_of_daylight_saving_is_an_hour_shorter_or_longer() -> None:
    days = SiteDays(BERLIN)

    def length(day: date) -> timedelta:
        return days.midnight(day + timedelta(days=1)) - days.midnight(day)

    assert length(date(2026, 3, 29)) == timedelta(hours=23)
    assert length(date(2026, 10, 25)) == timedelta(hours=25)
    assert length(date(2026, 10, 26)) == timedelta(hours=24)


def test_a_period_ends_at_a_midnight_of_the_site() -> None:
    days = SiteDays(BERLIN)
    moment = at("2026-10-23T22:30:00")  # Saturday half past midnight

    assert days.current_period("day", moment) == (date(2026, 10, 24), at("2026-10-24T22:00:00"))
    assert days.current_period("week", moment) == (date(2026, 10, 19), at("2026-10-25T23:00:00"))
    assert days.current_period("month", moment) == (date(2026, 10, 1), at("2026-10-31T23:00:00"))


def test_west_of_the_old_zone_the_day_under_way_does_not_begin_again() -> None:
    moment = at("2026-11-30T20:00:00")  # in Shanghai it is the first of December
    moved = SiteDays(SHANGHAI).moved_to(UTC_ZONE, moment)

    assert moved.day_of(moment) == date(2026, 12, 1)
    assert moved.current_period("month", moment)[0] == date(2026, 12, 1)
    assert moved.current_period("day", moment) == (date(2026, 12, 1), at("2026-12-02T00:00:00"))
    assert moved.day_of(at("2026-12-02T00:00:00")) == date(2026, 12, 2)


def test_east_of_the_old_zone_the_day_under_way_ends_at_once() -> None:
    moment = at("2026-11-30T20:00:00")
    moved = SiteDays(UTC_ZONE).moved_to(SHANGHAI, moment)

    assert moved.current_period("month", moment)[0] == date(2026, 12, 1)
    assert moved.current_period("day", moment)[1] == at("2026-12-01T16:00:00")


@given(zones, moments, st.integers(1, 5 * 24 * 60))
def test_parts_of_a_time_are_days_in_order_and_add_up_to_it(
    zone: str, since: datetime, minutes: int
) -> None:
    until = since + timedelta(minutes=minutes)
    parts = list(SiteDays(zone).split(since, until))

    assert sum((length for _, length in parts), timedelta()) == until - since
    assert all(one < other for (one, _), (other, _) in pairwise(parts))
    assert all(length > timedelta() for _, length in parts)


@given(st.lists(st.tuples(zones, st.integers(0, 3 * 24 * 60)), min_size=1, max_size=5), moments)
def test_however_often_the_zone_changes_no_period_begins_twice(
    changes: list[tuple[str, int]], start: datetime
) -> None:
    """Counted are periods as a budget does: by their first day, at every half hour."""
    days, moment, seen = SiteDays(UTC_ZONE), start, list[tuple[date, ...]]()
    for zone, minutes in [*changes, (UTC_ZONE, 24 * 60)]:
        until = moment + timedelta(minutes=minutes)
        while moment < until:
            seen.append(
                tuple(days.current_period(kind, moment)[0] for kind in ("day", "week", "month"))
            )
            assert days.current_period("day", moment)[1] > moment
            moment += timedelta(minutes=30)
        days = days.moved_to(zone, moment)

    for one, other in pairwise(seen):
        assert all(before <= after for before, after in zip(one, other, strict=True))
        assert other[0] - one[0] <= timedelta(days=2), "a day was left out"


@given(zones, moments, st.integers(-399 * 24 * 60, 399 * 24 * 60))
def test_the_clock_of_a_snapshot_is_that_of_the_zone(
    zone: str, taken_at: datetime, minutes: int
) -> None:
    moment = taken_at + timedelta(minutes=minutes)
    clock = build_clock(zone, taken_at)
    offset = timedelta(minutes=clock.offset_min(Millis(to_millis(moment))))

    local = (moment + offset).replace(tzinfo=None)
    days = SiteDays(zone)
    assert local.date() == days.day_of(moment)
    assert days.midnight(local.date()) <= moment


def test_a_clock_with_daylight_saving_changes_twice_a_year() -> None:
    assert len(build_clock(BERLIN, at("2026-07-01T00:00:00")).changes) == 4
    assert build_clock(SHANGHAI, at("2026-07-01T00:00:00")).changes == ()


@pytest.mark.parametrize("name", ["posixrules", "EST5EDT", "Factory", "localtime"])
def test_old_abbreviations_are_no_zones(name: str) -> None:
    assert name not in list_time_zones()
    assert {SHANGHAI, BERLIN, UTC_ZONE} <= set(list_time_zones())
