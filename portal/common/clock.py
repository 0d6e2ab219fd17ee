"""The only source of "now" in the portal, which tests set with `freeze`, and the names of time zones.

It is PostgreSQL's (`portal.common.shared_clock`): what is stored is compared by other processes.
"""

import contextlib
import datetime
from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Final
from zoneinfo import available_timezones

from portal.common.shared_clock import SharedClock

SHARED: Final = SharedClock()
"""The clock of this process."""
_frozen: ContextVar[datetime.datetime | None] = ContextVar("frozen_now", default=None)


def now() -> datetime.datetime:
    """Return the current time in UTC."""
    return _frozen.get() or SHARED.now()


def now_or_later(*moments: datetime.datetime | None) -> datetime.datetime:
    """Return the current time, or the last of these moments while it is still ahead.

    For the end of what began at one of them: the clock may have been set back in between.
    """
    return max(now(), *(moment for moment in moments if moment is not None))


def to_millis(moment: datetime.datetime) -> int:
    """Return a moment as integer milliseconds since the epoch."""
    return int(moment.timestamp() * 1000)


def from_millis(value: int) -> datetime.datetime:
    """Return the UTC moment of integer milliseconds since the epoch."""
    return datetime.datetime.fromtimestamp(value / 1000, datetime.UTC)


@lru_cache(maxsize=1)
def list_time_zones() -> tuple[str, ...]:
    """Return the names of all time zones: `Asia/Shanghai`, `UTC`, without old abbreviations."""
    return tuple(sorted(name for name in available_timezones() if "/" in name or name == "UTC"))


@contextlib.contextmanager
def freeze(moment: datetime.datetime) -> Iterator[None]:
    """Make `now()` return `moment` inside the block."""
    token = _frozen.set(moment)
    try:
        yield
    finally:
        _frozen.reset(token)
