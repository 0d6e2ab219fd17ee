"""When the lines of stored logs were written: a file of marks beside each log."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.workloads.logs.files import SIZE_MAX
from wire.log_marks import MARK, LogMark, pack_marks, unpack_marks

MARKS_MAX: Final = 16 * 1024 * 1024
"""Bytes kept of the marks of one log; what is written later shows the last time."""
_PAGE: Final = 256
"""Marks read at a time."""


def marks_path(storage_dir: Path, workload_id: UUID, rank: int, epoch: int) -> Path:
    """Return where the marks of one attempt's log lie."""
    return storage_dir / "logs" / str(workload_id) / f"{rank}.{epoch}.marks"


def append_marks(path: Path, marks: Sequence[LogMark]) -> None:
    """Write those of these marks that are new; repeated ones change nothing."""
    if not marks:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o640), "r+b", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size // MARK.size * MARK.size
        os.truncate(file.fileno(), size)  # half a mark of a process that died
        last = _read_marks(path, size // MARK.size - 1, 1)
        known = last[0].offset if last else -1
        fresh = [mark for mark in marks if known < mark.offset < SIZE_MAX]
        file.write(pack_marks(fresh)[: MARKS_MAX - size])


def iterate_marks(path: Path, offset: int) -> Iterator[LogMark]:
    """Yield the mark that holds at an offset of the log, if there is one, then all later ones."""
    index = max(0, _count_until(path, offset) - 1)
    while marks := _read_marks(path, index, _PAGE):
        yield from marks
        index += len(marks)


def _count_until(path: Path, offset: int) -> int:
    """Return how many marks are at or before an offset."""
    low, high = 0, path.stat().st_size // MARK.size if path.exists() else 0
    while low < high:
        middle = (low + high) // 2
        found = _read_marks(path, middle, 1)[0].offset
        low, high = (middle + 1, high) if found <= offset else (low, middle)
    return low


def _read_marks(path: Path, index: int, count: int) -> list[LogMark]:
    """Return marks from a number on; a log of an older agent has none."""
    if index < 0 or not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(index * MARK.size)
        return unpack_marks(file.read(count * MARK.size))
