"""When an alarm begins to wait, fires and resolves: pure; facts in, transitions out.

A condition must hold for the rule's duration before an alarm fires, and must be over for `CLEAR_AFTER`
before it resolves, so that a value that swings around its threshold fires once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

CLEAR_AFTER: Final = timedelta(minutes=5)
"""How long a condition must be over before its alarm resolves."""
GAP_MAX: Final = timedelta(minutes=5)
"""A condition that was not seen for so long has begun again: nothing is known of the time between."""
DAY_MINUTES: Final = 24 * 60


class AlarmState(StrEnum):
    """Where an alarm is."""

    PENDING = "pending"
    """The condition holds, but not for long enough yet."""
    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Condition:
    """When the value of a subject is one to fire about."""

    threshold: int
    duration: timedelta
    is_below: bool = False

    def is_met(self, value: int) -> bool:
        """Return whether a value meets it."""
        return value <= self.threshold if self.is_below else value >= self.threshold


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of a subject now; a value of None is not known at the moment."""

    value: int | None
    since: datetime | None = None
    """Since when it holds, where the fact itself says that."""


@dataclass(frozen=True, slots=True)
class AlarmStanding:
    """Where the alarm of one subject stands."""

    state: AlarmState
    since: datetime
    """Since when the condition holds."""
    seen_at: datetime
    """When the condition was last seen to hold."""
    clear_since: datetime | None = None
    """Since when it does not, while the alarm still fires."""


@dataclass(frozen=True, slots=True)
class PastStretch:
    """Minutes of the past without a gap in which a value met a condition all along, or never did."""

    first: datetime
    last: datetime
    value: int
    """One of its values."""


Standings = Mapping[UUID, AlarmStanding]


def decide_alarms(
    condition: Condition, known: Standings, readings: Mapping[UUID, Reading], now: datetime
) -> dict[UUID, AlarmStanding | None]:
    """Return where each subject stands now; None for a pending alarm that is dropped.

    `known` are the pending and firing alarms of one rule. A subject without a reading does not meet
    the condition, or does not exist any more.
    """
    found: dict[UUID, AlarmStanding | None] = {}
    for subject in known.keys() | readings.keys():
        before = known.get(subject)
        after = decide_alarm(condition, before, readings.get(subject), now)
        if before is not None or after is not None:
            found[subject] = after
    return found


def decide_alarm(
    condition: Condition, known: AlarmStanding | None, reading: Reading | None, now: datetime
) -> AlarmStanding | None:
    """Return where the alarm of one subject stands now; None if there is none."""
    if reading is not None and reading.value is None:
        return known
    if reading is None or reading.value is None or not condition.is_met(reading.value):
        return None if known is None else _clear(known, now)
    began = min(reading.since or now, now)
    if known is None:
        return _hold(AlarmState.PENDING, began, condition, now)
    is_continued = now - known.seen_at <= GAP_MAX or known.state is AlarmState.FIRING
    return _hold(known.state, known.since if is_continued else began, condition, now)


def count_firings(condition: Condition, past: Iterable[PastStretch]) -> int:
    """Return how often the alarm of one subject would have fired, looked at each minute of its past.

    Between two stretches nothing is known. Within one, its first and its last minute decide.
    """
    fired = 0
    standing: AlarmStanding | None = None
    for stretch in past:
        for moment in (stretch.first, stretch.last):
            since = standing.since if standing and moment > stretch.first else None
            before = standing and standing.state
            standing = decide_alarm(condition, standing, Reading(stretch.value, since), moment)
            after = standing and standing.state
            fired += after is AlarmState.FIRING and before is not AlarmState.FIRING
            standing = None if after is AlarmState.RESOLVED else standing
    return fired


def is_quiet(minute: int, quiet_from: int | None, quiet_until: int | None) -> bool:
    """Return whether a minute of the day is in the quiet hours, which may span midnight."""
    if quiet_from is None or quiet_until is None:
        return False
    return (minute - quiet_from) % DAY_MINUTES < (quiet_until - quiet_from) % DAY_MINUTES


def _hold(state: AlarmState, since: datetime, condition: Condition, now: datetime) -> AlarmStanding:
    is_due = state is AlarmState.FIRING or now - since >= condition.duration
    return AlarmStanding(AlarmState.FIRING if is_due else AlarmState.PENDING, since, now)


def _clear(known: AlarmStanding, now: datetime) -> AlarmStanding | None:
    if known.state is AlarmState.PENDING:
        return None
    since = known.clear_since or now
    if now - since >= CLEAR_AFTER:
        return replace(known, state=AlarmState.RESOLVED, clear_since=since)
    return replace(known, clear_since=since)
