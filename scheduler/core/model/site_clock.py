"""The site's local time as integers: UTC offsets, and the moments at which they change.

The core reads no table of time zones. Who makes a snapshot lists the changes around its moment
(`portal/site/days.py`), so that the same snapshot gives the same plan on every machine.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from scheduler.core.model.entities import Millis

OFFSET_MIN_MAX: Final = 24 * 60
"""No clock of the world is a day away from UTC."""


@dataclass(frozen=True, slots=True)
class OffsetChange:
    """A moment from which local time has another distance from UTC, as daylight saving begins."""

    at: Millis
    utc_offset_min: int

    def __post_init__(self) -> None:
        """Refuse an offset of a day or more."""
        if abs(self.utc_offset_min) >= OFFSET_MIN_MAX:
            raise ValueError("utc_offset_min must be within a day")


@dataclass(frozen=True, slots=True)
class SiteClock:
    """The UTC offset of a site, and its later changes in order of time."""

    utc_offset_min: int = 0
    """Before the first change."""
    changes: tuple[OffsetChange, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an offset of a day or more, and changes that are out of order."""
        if abs(self.utc_offset_min) >= OFFSET_MIN_MAX:
            raise ValueError("utc_offset_min must be within a day")
        if any(one.at >= other.at for one, other in pairwise(self.changes)):
            raise ValueError("changes must be in order of time")

    def offset_min(self, at: Millis) -> int:
        """Return the minutes by which local time is ahead of UTC at a moment."""
        after = bisect_right(self.changes, at, key=lambda change: change.at)
        return self.changes[after - 1].utc_offset_min if after else self.utc_offset_min

    def next_change(self, now: Millis) -> Millis | None:
        """Return the first moment after now at which the offset changes; None if none is known."""
        after = bisect_right(self.changes, now, key=lambda change: change.at)
        return self.changes[after].at if after < len(self.changes) else None
