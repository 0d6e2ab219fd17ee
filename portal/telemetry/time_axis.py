"""The time axis of a chart: from when to when, in which steps, out of which table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from portal.common.clock import now, to_millis
from portal.common.errors import InvalidError
from portal.telemetry.retention import kept_for_system
from portal.telemetry.tables import EPOCH, RESOLUTIONS, Resolution

POINTS_MAX: Final = 1000
"""Points of one curve."""
POINTS_WANTED: Final = 400
"""Points of one curve where the request does not give a step."""
_STEPS_S: Final = (5, 10, 15, 30, 60, 120, 300, 600, 900, 3600, 7200, 21600, 43200, 86400, 259200)
"""From a minute, an hour and a day on they are read from the rolled-up tables, hence few in between."""
_SLACK: Final = timedelta(minutes=5)
"""So that a range requested a moment ago is not a moment too old."""


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A time range in equal steps, and the table that it is read from."""

    begin: datetime
    end: datetime
    step: timedelta
    resolution: Resolution

    def floor(self, moment: datetime) -> datetime:
        """Return the beginning of the step that holds a moment."""
        return EPOCH + (moment - EPOCH) // self.step * self.step

    @property
    def times(self) -> list[int]:
        """The beginnings of all steps, in milliseconds."""
        step_ms = self.step // timedelta(milliseconds=1)
        return list(range(to_millis(self.begin), to_millis(self.end), step_ms))


def choose_axis(
    since: datetime | None,
    until: datetime | None,
    step_s: int | None,
    resolutions: Sequence[Resolution] = RESOLUTIONS,
) -> TimeAxis:
    """Choose steps and table for a time range; the last hour if none is given.

    Raises:
        InvalidError: the range is empty or has more points than a chart can show.
    """
    present = now()
    end = min(until or present, present)
    begin = since or end - timedelta(hours=1)
    if begin >= end:
        raise InvalidError("time_empty")
    wanted = timedelta(seconds=step_s or _round_step_s((end - begin).total_seconds()))
    if (end - begin) / wanted > POINTS_MAX:
        raise InvalidError("too_many_points", limit=POINTS_MAX)
    resolution = _choose_resolution(begin, wanted, resolutions)
    # The only tables that go back so far may be coarser than what was asked for.
    step = max(wanted, resolution.step)
    axis = TimeAxis(begin, end, step, resolution)
    return replace(axis, begin=axis.floor(begin))


def _round_step_s(seconds: float) -> int:
    """Return the shortest round step that gives a chart at most `POINTS_WANTED` points."""
    return next((step for step in _STEPS_S if seconds / step <= POINTS_WANTED), _STEPS_S[-1])


def _choose_resolution(
    begin: datetime, step: timedelta, resolutions: Sequence[Resolution]
) -> Resolution:
    """Return the coarsest table that is fine enough, or else the finest that goes back so far."""
    present, kept = now(), kept_for_system()
    reaching = [each for each in resolutions if begin >= present - kept[each.name] - _SLACK]
    reaching = reaching or [resolutions[-1]]
    fine = [each for each in reaching if each.step <= step]
    return fine[-1] if fine else reaching[0]
