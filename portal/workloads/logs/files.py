"""Log files of workloads: one for each attempt of a rank, written from what the nodes send."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from wire.log_lines import EVENTS_KEPT, EXCESS_KEPT, LOG_BEGINNING, LOG_KEPT

SIZE_MAX: Final = LOG_KEPT
"""Bytes kept of one log: its beginning, the line that counts what is left out, and its end."""
BEGINNING: Final = LOG_BEGINNING
"""Bytes of a log after which metrics lines are in a file of their own."""
EXCESS_MAX: Final = EXCESS_KEPT
"""Bytes kept of the metrics lines that come after the beginning of a log."""
EVENTS_MAX: Final = EVENTS_KEPT
"""Bytes kept of the metrics lines that one attempt's event files amount to."""
FULL_NOTICE: Final = (
    b"\n[berth] The log is full (64 MiB). What follows is not kept, except metrics.\n"
)
READ_MAX: Final = 1024 * 1024
"""Bytes of a log in one answer."""


@dataclass(frozen=True, slots=True)
class LogPart:
    """Bytes of a log from an offset on, and how many there are in all."""

    offset: int
    size: int
    text: bytes


def log_path(storage_dir: Path, workload_id: UUID, rank: int, epoch: int) -> Path:
    """Return where the log of one attempt lies."""
    return storage_dir / "logs" / str(workload_id) / f"{rank}.{epoch}.log"


def excess_path(storage_dir: Path, workload_id: UUID, rank: int, epoch: int) -> Path:
    """Return where the metrics lines of one attempt lie that came after the beginning of its log."""
    return storage_dir / "logs" / str(workload_id) / f"{rank}.{epoch}.metrics"


def events_path(storage_dir: Path, workload_id: UUID, rank: int, epoch: int) -> Path:
    """Return where the metrics lines of one attempt's event files lie."""
    return storage_dir / "logs" / str(workload_id) / f"{rank}.{epoch}.events"


def read_log(path: Path, offset: int, limit: int = READ_MAX) -> LogPart:
    """Return at most `limit` bytes from `offset`; a log that does not exist yet is empty."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(min(max(offset, 0), size))
            start = file.tell()
            return LogPart(start, size, file.read(max(min(limit, READ_MAX), 0)))
    except FileNotFoundError:
        return LogPart(0, 0, b"")


def append_excess(path: Path, offset: int, data: bytes) -> int:
    """Write the same of the metrics lines that came after the beginning of a log; they end without a notice."""
    return append_log(path, offset, data, size_max=EXCESS_MAX, notice=b"")


def append_events(path: Path, offset: int, data: bytes) -> int:
    """Write the same of the metrics lines of event files."""
    return append_log(path, offset, data, size_max=EVENTS_MAX, notice=b"")


def append_log(
    path: Path, offset: int, data: bytes, *, size_max: int = SIZE_MAX, notice: bytes = FULL_NOTICE
) -> int:
    """Write the part of `data` that is new, and return the offset from which the sender continues.

    The file's size is the truth: a repeated chunk changes nothing, a gap is sent again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW
    handle = os.open(path, flags, 0o640)
    with os.fdopen(handle, "ab") as file:
        size = os.fstat(file.fileno()).st_size
        if size >= size_max + len(notice):
            return max(offset + len(data), size_max)
        if offset > size:
            return size
        fresh = data[size - offset :]
        if size + len(fresh) <= size_max:
            file.write(fresh)
            return size + len(fresh)
        file.write(fresh[: max(0, size_max - size)] + notice)
        return offset + len(data)


def count_had(path: Path, size_max: int) -> int:
    """Return the offset from which a sender continues that has sent nothing yet."""
    return min(read_log(path, 0, 0).size, size_max)
