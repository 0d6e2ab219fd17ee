"""The only source of new identifiers."""

import os
import threading
import uuid
from datetime import datetime
from typing import Final

from portal.common.clock import SHARED, to_millis

_RANDOM_BITS: Final = 74
_lock = threading.Lock()
_last = 0


def new_id() -> uuid.UUID:
    """Return a version 7 UUID: unique, and within a process greater than every earlier one.

    Source: RFC 9562, section 5.7; identifiers of one millisecond count up (section 6.2, method 2).
    """
    global _last  # noqa: PLW0603 - the order of identifiers is a fact about the whole process
    drawn = to_millis(SHARED.best_now()) << _RANDOM_BITS | _random()
    with _lock:
        _last = drawn if drawn > _last else _last + 1
        stamp = _last
    return _of(stamp)


def id_of(moment: datetime) -> uuid.UUID:
    """Return a version 7 UUID as if it were made at a moment of the past, for lists to be in order."""
    return _of(to_millis(moment) << _RANDOM_BITS | _random())


def _of(stamp: int) -> uuid.UUID:
    moment, noise = stamp >> _RANDOM_BITS, stamp & (2**_RANDOM_BITS - 1)
    value = (moment & (2**48 - 1)) << 80 | 0x7 << 76 | (noise >> 62) << 64
    return uuid.UUID(int=value | 0b10 << 62 | noise & (2**62 - 1))


def _random() -> int:
    return int.from_bytes(os.urandom(10)) >> (80 - _RANDOM_BITS)
