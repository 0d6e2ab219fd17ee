"""Local time of the site: its days, its budget periods, and its clock for the scheduler; pure.

Time zones are read here and nowhere else. A day begins at its local midnight; where the clock skips
midnight, at the jump.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from portal.common.clock import to_millis
from scheduler.core.model.entities import Millis
from scheduler.core.model.site_clock import OffsetChange, SiteClock

CLOCK_REACH: Final = timedelta(days=400)
"""How far before and after a snapshot its clock knows the changes of the offset: a year, and more
than any past that is simulated."""
PERIODS_REACH: Final = timedelta(days=35)
"""For how long after its end the periods that follow the present one of a budget are known: each day of a month."""
_DAY: Final = timedelta(days=1)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class SiteDays:
    """The days of a site; each moment belongs to exactly one, and later moments to no earlier one."""

    zone: str
    days_from: date | None = None
    """The day that had begun when the zone was last changed.

    West of the old zone it would begin again: its budget period would be opened a second time.
    """

    def day_of(self, moment: datetime) -> date:
        """Return the day of the site at a moment."""
        day = moment.astimezone(ZoneInfo(self.zone)).date()
        return day if self.days_from is None else max(day, self.days_from)

    def midnight(self, day: date) -> datetime:
        """Return the moment in UTC at which a day begins."""
        return datetime.combine(day, time(), ZoneInfo(self.zone)).astimezone(UTC)

    def minute_of(self, moment: datetime) -> int:
        """Return the minute of the day that the clock shows at a moment."""
        local = moment.astimezone(ZoneInfo(self.zone))
        return local.hour * 60 + local.minute

    def at_minute(self, day: date, minute: int) -> datetime:
        """Return the moment in UTC at which the clock shows this minute of a day."""
        at = time(minute // 60, minute % 60)
        return datetime.combine(day, at, ZoneInfo(self.zone)).astimezone(UTC)

    def days_later(self, moment: datetime, days: int) -> datetime:
        """Return the moment so many days later at which the clock shows the same."""
        local = moment.astimezone(ZoneInfo(self.zone))
        return (local + days * _DAY).astimezone(UTC)

    def describe(self, moment: datetime) -> str:
        """Return what the clock shows, to the minute: `2026-11-24 09:00`."""
        return moment.astimezone(ZoneInfo(self.zone)).strftime("%Y-%m-%d %H:%M")

    def split(self, since: datetime, until: datetime) -> Iterator[tuple[date, timedelta]]:
        """Split a time at every midnight of the site; yield each day and the length of its part."""
        while since < until:
            day = self.day_of(since)
            cut = min(self.midnight(day + _DAY), until)
            yield day, cut - since
            since = cut

    def current_period(self, period: str, moment: datetime) -> tuple[date, datetime]:
        """Return the first day of the present `day`, `week` or `month`, and the period's end."""
        first = self.day_of(moment)
        if period == "week":
            first -= timedelta(days=first.weekday())
            following = first + timedelta(days=7)
        elif period == "month":
            first = first.replace(day=1)
            following = (first + timedelta(days=32)).replace(day=1)
        else:
            following = first + _DAY
        return first, self.midnight(following)

    def later_ends(self, period: str, moment: datetime) -> tuple[Millis, ...]:
        """Return the ends of the periods after the present one, for `PERIODS_REACH`."""
        return _later_ends(self, period, self.current_period(period, moment)[1])

    def moved_to(self, zone: str, moment: datetime) -> "SiteDays":
        """Return the days of the site if its zone changes at a moment.

        The day under way becomes longer or shorter; none is repeated and none is left out.
        """
        return SiteDays(zone, self.day_of(moment))


class DaySegment(NamedTuple):
    """A part of one day of the site; where the zone changes at noon, a day has two."""

    day: date
    begins_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class SiteCalendar:
    """The days of a site over its whole past: each with the time zone that held then."""

    past: tuple[tuple[datetime, SiteDays], ...]
    """Days that held until a moment, by that moment."""
    present: SiteDays

    def day_of(self, moment: datetime) -> date:
        """Return the day of the site at a moment of its past or future."""
        return self._days_at(moment).day_of(moment)

    def hour_of(self, moment: datetime) -> int:
        """Return the hour that the clock of the site shows at a moment of its past or future."""
        return self._days_at(moment).minute_of(moment) // 60

    def segments(self, since: datetime, until: datetime) -> Iterator[DaySegment]:
        """Split a time at every midnight and change of the zone, in order."""
        for over, days in (*self.past, (until, self.present)):
            for day, length in days.split(since, min(over, until)):
                yield DaySegment(day, since, since + length)
                since += length

    def segments_of_days(self, first: datetime, until: datetime) -> list[DaySegment]:
        """Return the whole days from the one of a moment on, cut off at `until`."""
        day = self.day_of(first)
        # No day is longer than three: zones are at most 26 hours apart.
        return [each for each in self.segments(first - 3 * _DAY, until) if each.day >= day]

    def _days_at(self, moment: datetime) -> SiteDays:
        return next((days for until, days in self.past if moment < until), self.present)


def build_clock(zone: str, moment: datetime) -> SiteClock:
    """Return the site's UTC offsets around a moment, as the scheduler's core takes them."""
    return _clock(zone, moment.astimezone(UTC).date())


@lru_cache(maxsize=8)
def _clock(zone: str, day: date) -> SiteClock:
    here = ZoneInfo(zone)
    noon = datetime.combine(day, time(12), UTC)
    first, last = noon - CLOCK_REACH, noon + CLOCK_REACH
    changes, at = [], first
    while at < last:
        if _offset_min(here, at) != _offset_min(here, at + _DAY):
            change = _find_change(here, at, at + _DAY)
            offset_min = _offset_min(here, change)
            changes.append(OffsetChange(Millis(to_millis(change)), offset_min))
        at += _DAY
    return SiteClock(_offset_min(here, first), tuple(changes))


def _find_change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Return the minute between two moments from which the later offset holds, by bisection."""
    later = _offset_min(zone, after)
    while after - before > _MINUTE:
        middle = before + (after - before) // _MINUTE // 2 * _MINUTE
        if _offset_min(zone, middle) == later:
            after = middle
        else:
            before = middle
    return after


def _offset_min(zone: ZoneInfo, moment: datetime) -> int:
    offset = moment.astimezone(zone).utcoffset()
    return 0 if offset is None else offset // _MINUTE


@lru_cache(maxsize=64)
def _later_ends(days: SiteDays, period: str, ends_at: datetime) -> tuple[Millis, ...]:
    """Return them; the same all day."""
    found: list[Millis] = []
    end = ends_at
    while not found or end < ends_at + PERIODS_REACH:
        end = days.current_period(period, end)[1]
        found.append(Millis(to_millis(end)))
    return tuple(found)
