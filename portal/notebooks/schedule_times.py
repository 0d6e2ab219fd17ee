"""When the schedule of a notebook starts and stops it, on the site's clock. Pure."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from portal.site.days import SiteDays

JITTER_S: Final = 300
"""Scheduled starts of one moment are spread over so many seconds, so that fifty do not arrive at once."""


def find_next_time(days: Collection[int], minute: int, after: datetime, site: SiteDays) -> datetime:
    """Return the first moment after `after` that is this minute of one of these days (0 is Monday).

    Raises:
        ValueError: there are no days.
    """
    today = site.day_of(after)
    for ahead in range(8):
        day = today + timedelta(days=ahead)
        if day.weekday() in days and (moment := site.at_minute(day, minute)) > after:
            return moment
    raise ValueError("a schedule has at least one day")


def spread_start(workload: UUID) -> timedelta:
    """Return by how much later than planned a notebook starts; always the same for one notebook."""
    return timedelta(seconds=workload.int % JITTER_S)
