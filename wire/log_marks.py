"""When the lines of a log were written, kept as marks beside it and never in its text.

A mark says at which time the line was written that begins at an offset; it holds for what follows, up to
the next mark. Standard library only.
"""

from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Final, NamedTuple

MARK: Final = Struct(">QQ")
"""How a mark is kept in a file: offset, then time."""
MARKS_PER_CHUNK_MAX: Final = 1024
"""Marks beside one chunk of a log."""
_GAP_DOUBLES_AFTER: Final = 15
"""The least time between two marks is 1 ms, and twice as long after each 2^15 of them."""


class LogMark(NamedTuple):
    """The line that begins at this offset was written at this time, UTC in milliseconds."""

    offset: int
    at_ms: int


def pack_marks(marks: Iterable[LogMark]) -> bytes:
    """Return the bytes that are kept of some marks."""
    return b"".join(MARK.pack(*mark) for mark in marks)


def unpack_marks(data: bytes) -> list[LogMark]:
    """Return the marks in some bytes; half a mark at their end is left out."""
    return [LogMark(*item) for item in MARK.iter_unpack(data[: len(data) // MARK.size * MARK.size])]


def is_due(last: LogMark | None, at_ms: int, count: int) -> bool:
    """Return whether a line of this time gets a mark, after so many.

    Times are exact to a millisecond at first, and later to 1/32,768 of how long the log has been written
    to: two years of a line each millisecond amount to 11 MiB of marks.
    """
    return last is None or abs(at_ms - last.at_ms) >= 1 << (count >> _GAP_DOUBLES_AFTER)


def thin_out(marks: Sequence[LogMark]) -> Sequence[LogMark]:
    """Return as many of these marks as go beside one chunk, from the first on."""
    return marks[:: -(-len(marks) // MARKS_PER_CHUNK_MAX) or 1]
