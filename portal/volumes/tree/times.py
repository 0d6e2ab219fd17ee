"""Times of files as protocols can say them: file systems keep times from long ago and far ahead."""

from datetime import UTC, datetime
from typing import Final

EPOCH_S_MAX: Final = 2**32 - 1
"""Seconds of the epoch that 32 bits without a sign hold: what SFTP, HTTP and archives can say."""
_FIRST: Final = datetime(1, 1, 2, tzinfo=UTC)
_LAST: Final = datetime(9999, 12, 30, tzinfo=UTC)
"""A day within what a `datetime` holds, so that each zone of the world can show it."""


def to_moment(seconds: float) -> datetime:
    """Return a time of a file; one beyond the calendar is the first or the last that there is."""
    if seconds <= _FIRST.timestamp():
        return _FIRST
    return _LAST if seconds >= _LAST.timestamp() else datetime.fromtimestamp(seconds, UTC)


def to_epoch_s(seconds: float) -> int:
    """Return whole seconds of the epoch within 32 bits."""
    return min(max(int(seconds), 0), EPOCH_S_MAX)
