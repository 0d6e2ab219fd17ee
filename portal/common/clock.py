"""The only source of "now" in the portal; tests set it with `freeze`."""

import contextlib
import datetime
from collections.abc import Iterator
from contextvars import ContextVar

_frozen: ContextVar[datetime.datetime | None] = ContextVar("frozen_now", default=None)


def now() -> datetime.datetime:
    """Return the current time in UTC."""
    return _frozen.get() or datetime.datetime.now(datetime.UTC)


def to_millis(moment: datetime.datetime) -> int:
    """Return a moment as integer milliseconds since the epoch."""
    return int(moment.timestamp() * 1000)


def from_millis(value: int) -> datetime.datetime:
    """Return the UTC moment of integer milliseconds since the epoch."""
    return datetime.datetime.fromtimestamp(value / 1000, datetime.UTC)


@contextlib.contextmanager
def freeze(moment: datetime.datetime) -> Iterator[None]:
    """Make `now()` return `moment` inside the block."""
    token = _frozen.set(moment)
    try:
        yield
    finally:
        _frozen.reset(token)
