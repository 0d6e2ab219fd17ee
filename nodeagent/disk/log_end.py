"""Which end of a long log is kept behind its beginning, and the line between them; standard library only."""

import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wire.log_lines import GAP_LINE_MAX, LOG_BEGINNING, LOG_END
from wire.log_marks import LogMark

MOMENTS_MAX: Final = 65_536
"""Times that are remembered of an end."""
MOMENT_BYTES: Final = 4096
MOMENT_MS: Final = 1000
"""A later line has a time of its own if it is so many bytes, or so much time, after the last that has one."""
_APPENDING: Final = "end"
"""File beside the log with what is being appended to it."""


@dataclass(frozen=True, slots=True)
class LogShare:
    """How many bytes are kept of the beginning and of the end of a log."""

    beginning: int
    end: int

    @classmethod
    def of(cls, log_bytes: int) -> "LogShare":
        """Return the shares of the two in so many bytes."""
        end = log_bytes * LOG_END // (LOG_BEGINNING + LOG_END)
        return cls(log_bytes - end, end)

    def holds(self, size: int) -> bool:
        """Return whether a log of this size is kept whole; one that was shortened before is."""
        return size <= self.beginning + self.end + GAP_LINE_MAX


class EndCounter:
    """Counts what follows the beginning of a log, and remembers when its last lines were written."""

    def __init__(self, share: LogShare) -> None:
        self._share = share
        self._lines = 0
        self._seen = share.beginning
        self._is_exact = True
        self._is_line_start = False
        self._moments: deque[LogMark] = deque(maxlen=MOMENTS_MAX)

    def feed(self, offset: int, piece: bytes, at_ms: int | None) -> None:
        """Take bytes from this offset of all output on, in order; bytes that are not fed make it inexact."""
        piece = piece[max(0, self._seen - offset) :]
        if not piece:
            return
        offset = max(offset, self._seen)
        if offset > self._seen:
            self._is_exact = self._is_line_start = False
        begin = 0 if self._is_line_start else piece.find(b"\n") + 1
        if at_ms is not None and (begin or self._is_line_start) and begin < len(piece):
            self._note_moment(LogMark(offset + begin, at_ms))
        self._lines += piece.count(b"\n")
        self._is_line_start = piece.endswith(b"\n")
        self._seen = offset + len(piece)

    def close(self, size: int, end: bytes, *, is_exact: bool = True) -> tuple[bytes, list[LogMark]]:
        """Return what follows the beginning of a log of this size with this end, and its marks."""
        missing = size - len(end) - self._share.beginning
        is_counted = self._seen > self._share.beginning
        lines = max(0, self._lines - end.count(b"\n")) if is_counted else None
        line = gap_line(missing, lines, is_exact=is_exact and self._is_exact and self._seen == size)
        start = size - len(end)
        marks = self.list_marks(start, self._share.beginning + len(line) - start)
        before = [moment for moment in self._moments if moment.offset < start] or marks
        if before:
            marks.insert(0, LogMark(self._share.beginning + 1, before[-1].at_ms))
        return line + end, marks

    def list_marks(self, start: int, shift: int = 0) -> list[LogMark]:
        """Return the marks of the lines from an offset on, moved by so many bytes."""
        found = (moment for moment in self._moments if moment.offset >= start)
        return [LogMark(offset + shift, at_ms) for offset, at_ms in found]

    def _note_moment(self, moment: LogMark) -> None:
        last = self._moments[-1] if self._moments else None
        is_due = last is None or (
            moment.offset - last.offset >= MOMENT_BYTES or moment.at_ms - last.at_ms >= MOMENT_MS
        )
        if is_due:
            self._moments.append(moment)
        while self._moments[0].offset < moment.offset - self._share.end - MOMENT_BYTES:
            self._moments.popleft()


def gap_line(missing: int, lines: int | None, *, is_exact: bool) -> bytes:
    """Return the line that stands for so many bytes and, where they were counted, lines."""
    if missing <= 0:
        return b"\n[... part of the output left out ...]\n"
    least = "" if is_exact or lines is None else "at least "
    counts = f"{missing} bytes" if lines is None else f"{lines} lines, {missing} bytes"
    return f"\n[... {least}{counts} left out ...]\n".encode()


def append_end(log_path: Path, beginning: int, text: bytes) -> None:
    """Put this text behind the beginning of a log; `complete_end` continues where a crash interrupts it."""
    whole = log_path.with_name(_APPENDING)
    part = whole.with_suffix(".part")
    try:
        part.write_bytes(text)
        part.rename(whole)
    except OSError:  # a full disk: a crash at this moment costs the end
        part.unlink(missing_ok=True)
    os.truncate(log_path, beginning)
    with log_path.open("ab") as file:
        file.write(text)
    whole.unlink(missing_ok=True)


def complete_end(log_path: Path, beginning: int) -> None:
    """Continue where `append_end` was interrupted, if it was."""
    with suppress(FileNotFoundError):
        append_end(log_path, beginning, log_path.with_name(_APPENDING).read_bytes())
