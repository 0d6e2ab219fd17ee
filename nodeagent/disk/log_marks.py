"""Writes the marks of one container's log: when its lines were written; standard library only."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from wire.log_marks import MARK, LogMark, is_due, pack_marks, unpack_marks

PIECE_MAX: Final = 64 * 1024
"""Bytes of a log, or of its marks, that are searched at a time."""
_SEEN: Final = "seen"
"""File beside the log with how many of its bytes were taken."""
_SEEN_BYTES: Final = 8


class MarkWriter:
    """The marks of one log, in the order of its bytes. After a restart it continues where the file ends."""

    def __init__(self, path: Path, log_path: Path, beginning: int) -> None:
        """Write to `path` what is fed of the first bytes of the log at `log_path`, from its present end on."""
        self._path = path
        self._log_path = log_path
        self._beginning = beginning
        self._size = log_path.stat().st_size
        self._is_line_start = self._size == 0 or _read(log_path, self._size - 1, 1) == b"\n"
        whole = path.stat().st_size // MARK.size * MARK.size if path.exists() else 0
        if whole:
            os.truncate(path, whole)
        self._count = whole // MARK.size
        found = unpack_marks(_read(path, whole - MARK.size, MARK.size)) if whole else []
        self._last = found[0] if found else None
        self._seen = -1

    def feed(self, piece: bytes, at_ms: int | None) -> None:
        """Take the next bytes of the log, written at this time; None is not known."""
        begin = 0 if self._is_line_start else piece.find(b"\n") + 1
        if at_ms is not None and (begin or self._is_line_start) and begin < len(piece):
            self._mark(self._size + begin, at_ms)
        if piece:
            self._is_line_start = piece.endswith(b"\n")
            self._size += len(piece)

    def feed_grown(self, at_ms: int) -> None:
        """Take what its beginning has grown by, and write how far that is: only so much is shipped."""
        while piece := _read(
            self._log_path, self._size, max(0, min(PIECE_MAX, self._beginning - self._size))
        ):
            self.feed(piece, at_ms)
        if self._size != self._seen:
            self._seen = self._size
            _write_seen(self._log_path, self._seen)

    def _mark(self, offset: int, at_ms: int) -> None:
        if offset >= self._beginning or not is_due(self._last, at_ms, self._count):
            return
        self._last = LogMark(offset, at_ms)
        self._count += 1
        append_marks(self._path, [self._last])


def append_marks(path: Path, marks: Sequence[LogMark]) -> None:
    """Write some more marks of a log; a full disk costs times, not the log."""
    with suppress(OSError), path.open("ab") as file:
        file.write(pack_marks(marks))


def read_seen(log_path: Path) -> int | None:
    """Return how many bytes `feed_grown` has taken; None of a log that an older agent began."""
    path = log_path.with_name(_SEEN)
    return int.from_bytes(_read(path, 0, _SEEN_BYTES)) if path.exists() else None


def read_marks(path: Path, begin: int, end: int) -> list[LogMark]:
    """Return the marks of the lines that begin in these bytes of a log; an older agent's has none."""
    if not path.exists():
        return []
    index, found = _find(path, begin), list[LogMark]()
    while piece := unpack_marks(_read(path, index * MARK.size, PIECE_MAX)):
        found += [mark for mark in piece if mark.offset < end]
        if piece[-1].offset >= end:
            break
        index += len(piece)
    return found


def _find(path: Path, offset: int) -> int:
    """Return the number of the first mark at or after an offset of the log."""
    low, high = 0, path.stat().st_size // MARK.size
    while low < high:
        middle = (low + high) // 2
        ((found, _),) = unpack_marks(_read(path, middle * MARK.size, MARK.size))
        low, high = (middle + 1, high) if found < offset else (low, middle)
    return low


def _write_seen(log_path: Path, size: int) -> None:
    flags = os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC
    with suppress(OSError):
        descriptor = os.open(log_path.with_name(_SEEN), flags, 0o600)
        try:
            os.pwrite(descriptor, size.to_bytes(_SEEN_BYTES), 0)
        finally:
            os.close(descriptor)


def _read(path: Path, offset: int, limit: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(limit)
