"""Windows of the week on the site's own clock: whether one is open, and when that changes."""

from collections.abc import Sequence
from typing import Final

from scheduler.core.model.entities import Millis
from scheduler.core.model.policy import WEEK_MINUTES, WeekWindow
from scheduler.core.model.site_clock import SiteClock

MINUTE_MS: Final = 60_000
_EPOCH_MINUTE: Final = 3 * 24 * 60
"""The epoch began on a Thursday."""


def is_in_window(windows: Sequence[WeekWindow], now: Millis, clock: SiteClock) -> bool:
    """Return whether one of the windows is open; no windows are the whole week."""
    minute = _minute_of_week(now, clock.offset_min(now))
    return not windows or any(_contains(window, minute) for window in windows)


def next_window_change(
    windows: Sequence[WeekWindow], now: Millis, clock: SiteClock
) -> Millis | None:
    """Return the first moment after now at which `is_in_window` changes; None if it never does.

    A change of the clock may open or close a window by itself: local time jumps over its edge.
    """
    inside, since = is_in_window(windows, now, clock), now
    while (jump := clock.next_change(since)) is not None:
        if (moment := _next_edge(windows, since, clock, inside=inside)) and moment < jump:
            return moment
        if is_in_window(windows, jump, clock) is not inside:
            return jump
        since = jump
    return _next_edge(windows, since, clock, inside=inside)


def _next_edge(
    windows: Sequence[WeekWindow], since: Millis, clock: SiteClock, *, inside: bool
) -> Millis | None:
    """Return when the state changes within a week, as if the clock's offset stayed as it is."""
    offset_min = clock.offset_min(since)
    minute = _minute_of_week(since, offset_min)
    edges = {edge for window in windows for edge in (window.start, window.end)}
    minute_began = since // MINUTE_MS * MINUTE_MS
    for wait in sorted((edge - minute - 1) % WEEK_MINUTES + 1 for edge in edges):
        moment = Millis(minute_began + wait * MINUTE_MS)
        if is_in_window(windows, moment, SiteClock(offset_min)) is not inside:
            return moment
    return None


def _minute_of_week(now: Millis, utc_offset_min: int) -> int:
    """Return the minutes since Monday 00:00 of the site."""
    return (now // MINUTE_MS + utc_offset_min + _EPOCH_MINUTE) % WEEK_MINUTES


def _contains(window: WeekWindow, minute: int) -> bool:
    """Return whether the minute is in the window; one that ends where it starts is the whole week."""
    length = (window.end - window.start) % WEEK_MINUTES or WEEK_MINUTES
    return (minute - window.start) % WEEK_MINUTES < length
