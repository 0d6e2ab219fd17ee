"""Bounds the log of a process container, into which its work writes directly; standard library only.

What is neither its beginning nor its end is given back to the disk by a hole in the file, so that nothing is
lost that is written meanwhile. The end takes the place of the hole once the work has ended.
"""

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.excess_metrics import ExcessMetrics
from nodeagent.disk.log_end import EndCounter, LogShare, append_end, complete_end
from nodeagent.disk.log_marks import append_marks
from wire.log_marks import LogMark

PIECE_MAX: Final = 1024 * 1024
"""Bytes of a log that are searched at a time."""
LOOK_MAX: Final = 64 * PIECE_MAX
"""Bytes that are searched in one poll: work that writes faster must not keep the shim from its orders."""
KEEP_SIZE: Final = 0x01
PUNCH_HOLE: Final = 0x02
"""Modes of `fallocate(2)`."""


def punch_hole(path: Path, offset: int, length: int) -> None:
    """Give back the disk space of a part of a file; raises `OSError` where a file system cannot."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        begin, size = ctypes.c_int64(offset), ctypes.c_int64(length)
        if libc.fallocate(descriptor, KEEP_SIZE | PUNCH_HOLE, begin, size) != 0:
            raise OSError(ctypes.get_errno(), "no hole was made")
    finally:
        os.close(descriptor)


class LogKeeper:
    """Looks at the log of one container now and then, and shortens it when the work has ended."""

    def __init__(
        self,
        directory: ContainerDir,
        log_bytes: int,
        punch: Callable[[Path, int, int], None] = punch_hole,
    ) -> None:
        """Keep so many bytes, of which a part is the end."""
        self._directory = directory
        self._path = directory.log_path
        self._share = LogShare.of(log_bytes)
        self._punch = punch
        self._excess = ExcessMetrics(directory.excess_path, self._share.beginning)
        self._counter = EndCounter(self._share)
        self._read_to = self._excess.begins_at
        self._dropped_to = self._share.beginning
        self._cut_bytes = 0
        """Cut off where no hole can be made; what is written then begins again behind the beginning."""
        self._cut_end = b""

    def look(self, at_ms: int) -> None:
        """Search and count what was written since, and drop what cannot be the end."""
        size = self._path.stat().st_size
        if size <= self._share.beginning:
            return
        if size - self._read_to > LOOK_MAX:
            self._excess.skip()
            self._read_to = size - LOOK_MAX
        while self._read_to < size:
            piece = self._directory.read_log(self._read_to, min(PIECE_MAX, size - self._read_to))
            if not piece:
                break
            offset = self._read_to + self._cut_bytes
            with suppress(OSError):  # a full disk costs metrics, not the work
                self._excess.feed(offset, piece)
            self._counter.feed(offset, piece, at_ms)
            self._read_to += len(piece)
        self._drop(size)

    def finish(self) -> None:
        """Put the end behind the beginning of a log that nobody writes to any more."""
        complete_end(self._path, self._share.beginning)
        size, beginning = self._path.stat().st_size, self._share.beginning
        if not self._cut_bytes and self._share.holds(size):
            append_marks(self._directory.marks_path, self._counter.list_marks(beginning))
            return
        end = self._cut_end + self._read_end(size)
        text, marks = self._counter.close(
            size + self._cut_bytes, end[-self._share.end :], is_exact=not self._cut_bytes
        )
        append_marks(self._directory.marks_path, marks)
        append_end(self._path, beginning, text)

    def _read_end(self, size: int) -> bytes:
        begin = max(self._share.beginning, size - self._share.end)
        return self._directory.read_log(begin, size - begin)

    def _drop(self, size: int) -> None:
        """Give back what cannot be the end, once that is as much as an end."""
        to = size - self._share.end
        if to - self._dropped_to < self._share.end:
            return
        try:
            self._punch(self._path, self._share.beginning, to - self._share.beginning)
            self._dropped_to = to
        except OSError:
            self._cut(size)

    def _cut(self, size: int) -> None:
        """Cut off what follows the beginning, of which the end is remembered."""
        self._cut_end = (self._cut_end + self._read_end(size))[-self._share.end :]
        os.truncate(self._path, self._share.beginning)
        self._cut_bytes += size - self._share.beginning
        self._read_to = self._share.beginning


def keep_end(directory: ContainerDir, at_ms: int) -> None:
    """Shorten the log of a container whose shim was killed."""
    log_bytes = directory.read_log_bytes()
    if log_bytes is None:
        return
    before = directory.log_path.stat().st_size
    LogKeeper(directory, log_bytes).finish()
    if directory.log_path.stat().st_size != before:
        line = LogShare.of(log_bytes).beginning + 1
        append_marks(directory.marks_path, [LogMark(line, at_ms)])
